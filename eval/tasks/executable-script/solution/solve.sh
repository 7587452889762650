#!/bin/bash
set -eu
printf '#!/bin/sh\necho "hello $1"\n' > greet; chmod +x greet
