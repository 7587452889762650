import { sameFor } from '../name-lists.js';
import type { ProgramReach, ReachTable } from './program-reach.js';

const container: ProgramReach = {
  reaches:
    '-H= --host= -c= --context= --config= --tlscacert= --tlscert= --tlskey= -f= --file= -v= --volume= --mount= --volumes-from= --device= --privileged --cap-add= --security-opt= --pid= --ipc= --uts= --userns= --network= --net= --entrypoint= --env-file= -e= --env= -w= --workdir= -u= --user= --project-directory= -p= --project-name= --build-context= --secret= --ssh= --build-arg= --add-host= --runtime= --cgroup-parent= --group-add= --link= --hooks-dir= --root= --runroot= --storage-opt= --conmon= --url= --connection= --identity= --cidfile= --iidfile= --metadata-file= -o= --output= --input= -i=',
  plain:
    '-q --quiet -d --detach --rm --name= -t= --tag= --no-cache --pull --tail= -n= --follow --since= --until= --timestamps --format= --filter= -a --all --no-trunc --progress= --target= --platform= --label= -l= --build --force-recreate --remove-orphans --no-deps --no-color --no-log-prefix --services --profile=',
  operands: /:\/\/|^[\w.-]+@[\w.-]+:/,
};

const kubectl: ProgramReach = {
  reaches:
    '--kubeconfig= --context= --cluster= --user= -s= --server= --as= --as-group= --token= -n= --namespace= -f= --filename= -k= --kustomize= --certificate-authority= --client-certificate= --client-key= --cache-dir= --template= -R --recursive --prune --raw= -i --stdin --from-file= --from-env-file= --overrides= --patch-file= --log-file= --editor= --post-renderer= --post-renderer-args= --values= --set-file= --repo= --repository-config= --registry-config= --burst-limit= -A --all-namespaces',
  plain:
    '-o= --output= -l= --selector= -w --watch --tail= --since= -c= --container= --show-labels --sort-by= --field-selector= --no-headers -v= --timeout= --wait --dry-run? --follow --previous --timestamps --all-containers',
};

const terraform: ProgramReach = {
  words: true,
  reaches:
    '-chdir= -var-file= -var= -state= -state-out= -backup= -backend-config= -plugin-dir= -from-module= -out= -config= -target= -replace= -lock-file= -get-plugins= -generate-config-out= -test-directory= -destroy -auto-approve -migrate-state -reconfigure -upgrade',
  plain:
    '-no-color -input= -lock= -lock-timeout= -json -compact-warnings -refresh= -parallelism= -detailed-exitcode -check -diff -recursive -list= -write=',
};

const ansible: ProgramReach = {
  reaches:
    '-i= --inventory= --inventory-file= -M= --module-path= -e= --extra-vars= --vault-password-file= --vault-pass-file= --vault-id= --private-key= --key-file= -u= --user= -c= --connection= --ssh-common-args= --sftp-extra-args= --scp-extra-args= --ssh-extra-args= -b --become --become-method= --become-user= --become-password-file= --connection-password-file= --playbook-dir= -m= --module-name= -a= --args= -l= --limit= --tree= --start-at-task= --roles-path= -p=',
  plain:
    '-C --check -D --diff -v -vv -vvv --syntax-check --list-tasks --list-hosts --list-tags -t= --tags= --skip-tags= -f= --forks= --step --flush-cache -o',
};

const network: ProgramReach = {
  reaches:
    '-F= -o= -i= -I= -J= -D= -L= -R= -W= -w= -S= -E= -e= -p= -l= -b= -c= -m= -O= -Q= -B= -A -X -Y -f -N -M --rsh= --rsync-path= --config= --password-file= --files-from= --include-from= --exclude-from= --temp-dir= --partial-dir= --backup-dir= --link-dest= --copy-dest= --compare-dest= --log-file= --daemon --remote-option= --early-input= --write-batch= --read-batch= --only-write-batch=',
  plain:
    '-4 -6 -C -q -T -t -v -n -a -z -h -P -u -r -H -x --delete --progress --stats --dry-run --archive --verbose --compress --exclude= --include= --human-readable --checksum --update',
};

const database: ProgramReach = {
  reaches:
    '-c= --command= -f= --file= -o= --output= -L= --log-file= -h= --host= -p= --port= -U= --username= -d= --dbname= -v= --set= -e= --execute= --defaults-file= --defaults-extra-file= --init-command= --pager? --plugin-dir= --socket= -S= --tee= --eval= --shell -s= -H= -u=',
  plain: '-q -t -A -x -X -1 -w -W -b --csv --json --no-psqlrc',
  operands: /^[.\\!]/,
};

const cloud: ProgramReach = {
  reaches:
    '--profile= --endpoint-url= --config= --configuration= --cli-input-json= --cli-input-yaml= --ca-bundle= --account= --project= --impersonate-service-account= --flags-file= --credential-file-override= --subscription= --hostname= -R= --repo= --template= -t= --jq= --body-file= -F= --input= --web -w',
  plain:
    '--region= --output= --query= --format= --limit= -L= --state= --json= --title= --body= -b= --label= --assignee= --author= --no-pager --quiet',
};

const packages: ProgramReach = {
  reaches:
    '-o= --option= -c= --config-file= -t= --target-release= --root= --installroot= --repofrompath= --config= -d= --dbpath= -b= --cachedir= --gpgdir= --hookdir= --setopt= --force-yes --allow-unauthenticated -C= --root-dir= -p= -X= --repository=',
  plain:
    '-y --yes --assume-yes -q --quiet -s --simulate --dry-run --no-install-recommends --installed --upgradable -n --verbose --cask --formula',
};

/** Programs that act on the machine or on others. */
export const systemReach: ReachTable = {
  ip: {
    words: true,
    reaches: '-b= -batch= --batch= -n= -netns= --netns= -force -N= -a -all',
    plain: '-4 -6 -br -brief -c -color -d -details -j -json -p -pretty -s -stats -o -oneline',
    operands: /^(exec|netns|vrf|monitor)$/,
  },
  ...sameFor('docker podman nerdctl docker-compose buildah', container),
  ...sameFor('kubectl helm k9s oc', kubectl),
  ...sameFor('terraform tofu terragrunt packer', terraform),
  ...sameFor('ansible ansible-playbook ansible-galaxy', ansible),
  ssh: { ...network, operands: /./ },
  ...sameFor('scp sftp rsync', network),
  systemctl: {
    reaches:
      '-H= --host= -M= --machine= --root= --image= --user --global --runtime -f --force --what= --drop-in= --stdin --property= -p= --boot-loader-entry= --kill-whom= -s=',
    plain:
      '-l -q --quiet --no-pager -a --all -t= --type= --state= -n= --lines= -o= --output= --no-legend --plain --full --now',
    operands: /^(edit|link|revert|set-environment|import-environment|switch-root|kexec|set-property)$/,
  },
  journalctl: {
    reaches:
      '-D= --directory= --file= --root= --image= -M= --machine= --namespace= --cursor-file= --vacuum-size= --vacuum-time= --vacuum-files= --rotate --flush --relinquish-var --smart-relinquish-var --setup-keys',
    plain:
      '-u= --unit= -n= --lines= -f -r -x -e -b? -k -p= -S= --since= -U= --until= -o= --output= --no-pager -q --quiet -t= -g=',
  },
  ...sameFor('psql mysql mariadb', database),
  sqlite3: {
    words: true,
    reaches: '-init= -cmd= -A= -append -deserialize -vfs= -unsafe-testing -interactive',
    plain: '-header -csv -json -line -column -batch -readonly -separator= -bail',
    operands: /^\./,
  },
  'redis-cli': { ...database, operands: /^(EVAL|FUNCTION|MODULE|CONFIG|DEBUG|SLAVEOF|REPLICAOF|SCRIPT)$/i },
  mongosh: database,
  ...sameFor('aws gcloud az', cloud),
  gh: { ...cloud, operands: /^(alias|extension|ext|config)$/ },
  glab: cloud,
  ...sameFor('apt apt-get dnf yum apk pacman brew', packages),
  openssl: {
    words: true,
    reaches:
      '-config= -engine= -provider= -provider-path= -rand= -writerand= -out= -in= -inkey= -keyout= -passin= -pass= -extfile= -CAfile= -CApath= -connect= -proxy= -accept= -cert= -key=',
    plain: '-noout -text -nodes -days= -subj= -sha256 -base64 -hex -d -e -a',
  },
  code: {
    reaches:
      '--user-data-dir= --extensions-dir= --install-extension= --profile= --folder-uri= --file-uri= --extensionDevelopmentPath= --extensionTestsPath= --locate-shell-integration-path=',
    plain: '-n -r -w -g -d',
  },
  sqlfluff: {
    reaches: '--config= --templater= --library-path= --stdin-filename=',
    plain: '--dialect= --fix -f --rules= --exclude-rules=',
  },
  protoc: {
    reaches: '-I= --proto_path= --plugin= --descriptor_set_in= --descriptor_set_out= -o=',
    operands: /^@|^--\w+_out|^--\w+_opt/,
  },
  adb: {
    words: true,
    reaches: '-s= -H= -P= -L=',
    operands: /^(shell|exec-out|exec-in|push|pull|install|sideload)$/,
  },
  gdb: {
    words: true,
    reaches: '-x= -ex= -iex= -ix= --command= --args -args -cd= --cd= -d= -s= -e= --init-command= -p= --pid=',
    plain: '-q -batch --batch -n -nx',
  },
};
