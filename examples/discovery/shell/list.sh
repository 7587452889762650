#!/bin/sh
# Prints the tools of call.sh as JSON.
cat <<'END'
[
  {
    "name": "line_count",
    "description": "Counts the lines of a file in the workspace.",
    "parameters": {
      "type": "object",
      "properties": { "path": { "type": "string", "description": "The file, relative to the workspace." } },
      "required": ["path"]
    }
  },
  {
    "name": "free_space",
    "description": "Tells how much room is left on the disk of the workspace."
  }
]
END
