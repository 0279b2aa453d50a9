import { SUBJECTS } from '../prose/subjects.ts'
import type { Hazard } from './hazards.ts'

/** Folders below the home folder that hold what people made. */
const OWN_FOLDERS = String.raw`(?:Documents|Desktop|Downloads|Pictures|Photos|Music|Movies|Videos|Library|Dropbox|OneDrive|projects?|code|src|work|\.?backups?|\.ssh|\.gnupg|\.aws|\.kube|\.config|\.local)`
const DELETES = String.raw`(?:rmtree|\brm(?:dir)?(?:Sync)?|\bremove(?:Sync|dirs)?|\bunlink(?:Sync)?|emptyDir(?:Sync)?|\btrash|rimraf(?:\.sync)?|FileUtils\.rm_rf)`
const SHELL = String.raw`["'](?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?)["']`

/** Effects on data, machines and accounts of the user. */
export const EFFECT_HAZARDS: readonly Hazard[] = [
  {
    class: 'destruction',
    severity: 'warning',
    pattern: new RegExp(
      String.raw`${DELETES}\(\s*[rf]?["'\`]?(?:[\w.]{1,20}\()?["'\`]?~["'\`]?\s*(?:\/\s*(?:\$\{?[a-z]\w*|\{\w|[a-z_]\w*\s*[,)]|${OWN_FOLDERS}["'\`]?\s*[,)])|[,)])|\brm\s+(?:-\S+\s+)*-?\w*[rR]\w*\s+[^\n;&|]{0,80}?["']?(?:~|\$\{?HOME\}?)\/(?:${OWN_FOLDERS}["']?\/?\*?(?=\s|$|["';&|)])|["']?\*)|\bfind\s+["']?(?:~|\/|\$\{?HOME\}?|\/home|\/mnt)(?:\/${OWN_FOLDERS})?["']?\/?\s[^\n]{0,200}(?:-delete\b|-exec\s+(?:rm|shred)\b|\|\s*xargs\s[^\n]{0,20}\b(?:rm|shred)\b)|-exec\s+shred\b`,
    ),
    describedBy: SUBJECTS.destruction,
    message: 'The code deletes folders of the user that the skill did not create',
    help: 'Delete only what the skill created',
  },
  {
    class: 'destruction',
    severity: 'warning',
    pattern:
      /\baws\s+s3\s+rb\s[^\n]{0,200}--force|\baws\s+s3\s+rm\s[^\n]{0,200}--recursive|Status=Suspended|\b(?:gsutil|gcloud storage)\s+(?:-\w+\s+)*rm\s+-r|\bdropdb\b[^\n]{0,60}(?:--force|\$)|\bkubectl\s[^\n]{0,80}?(?<!-)\bdelete\s(?:[^\n]{0,120}--all\b|(?:ns|namespaces?|pvc?|persistentvolume\w*)\s[^\n]{0,100}--force\b)|\bterraform\s+destroy\b[^\n]{0,60}-auto-approve|\bdocker\s+(?:volume|system)\s+prune\s+-\w*a\w*f|\brestic\s+forget\b[^\n]{0,80}--prune|\bgit\s+push\s[^\n]{0,60}(?:-\w*f\w*\s|--force\s)[^\n]{0,80}(?:refs\/heads\/|:)["']?\$|\bgit\s+push\s[^\n]{0,60}--force\b[^\n]{0,60}(?:--prune|refs\/(?:heads\/)?\*)|\bfor-each-ref\b[^\n]{0,120}update-ref\s+-d|\bgit\s+(?:tag|branch)\b[^\n]{0,80}\|\s*xargs\s[^\n]{0,60}(?:push\b[^\n]{0,40}--delete|branch\s+-D)/,
    isUsualAdvice: true,
    describedBy: /delet|remov|clean|purg|tear.?down|destroy|reset|uninstall|prun/i,
    message: 'The command deletes data on other machines',
    help: 'Ask the user first, with the list of what goes',
  },
  {
    class: 'destruction',
    severity: 'warning',
    pattern:
      /\.(?:execute\w*|exec|query|run|raw|executescript|\$executeRaw\w*)\(\s*[rf]?["'`][^\n]{0,300}(?:\bDROP\s+SCHEMA\b|\bDROP\s+DATABASE\b|\b(?:TRUNCATE|DROP)\s+(?:TABLE\s+)?["'`]?[^\n]{0,10}(?:\{\w|\$\{|%s|["']\s*\+)|\bDELETE\s+FROM\s+\w*(?:audit|backup)\w*\s*(?:;|["'`]|$))|\b(?:psql|mysql|sqlite3|mongosh?)\b[^\n]{0,200}(?:\bDROP\s+(?:SCHEMA|DATABASE)\b|dropDatabase\()/i,
    isUsualAdvice: true,
    describedBy: SUBJECTS.destruction,
    message: 'The code deletes data of a database',
    help: 'Ask the user first, and name the database',
  },
  {
    class: 'destruction',
    severity: 'warning',
    isSpread: true,
    pattern:
      /\b(\w+)\.write_bytes\([^\n]{0,120}(?:\^|\w*(?:seal|encrypt|crypt|cipher|lock|scrambl)\w*\()[^\n]{0,80}\b\1\.read_bytes|\b(\w+)\.write_bytes\([^\n]{0,120}[\s\S]{0,80}\b\2\.rename\([^\n]{0,80}\+\s*["']\.\w+/,
    describedBy: /encrypt|verschlüssel|cifra|加密/i,
    message: 'The code makes files of the user unreadable',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'destruction',
    severity: 'error',
    isSpread: true,
    hint: /HOW[-_ ]?TO|READ[-_ ]?ME[-_]\w*(?:BACK|TO)|\bzip\s|generate_key\(\)/,
    pattern:
      /^(?=[^]{0,20000}\b(?:(?:HOW|READ[-_ ]?ME)[-_ ]?TO[-_ ]?(?:GET|RESTORE|RECOVER|DECRYPT|OPEN|UNLOCK)|(?:RESTORE|RECOVER|DECRYPT|UNLOCK)[-_ ]?(?:YOUR[-_ ]?)?(?:FILES|DATA|PHOTOS))[\w-]*\.(?:txt|html|md))[^]{0,20000}?(?:\.rename\(|renameSync\(|\bmv\s|-exec shred|unlink|\brm\s)|\bzip\s[^\n]{0,60}-P\s*["']?\$\([^\n)]{0,60}random/,
    message: 'The code makes files of the user unreadable and leaves a note',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'data-upload',
    severity: 'error',
    isSpread: true,
    hint: /recv\(|spawn\(|Process\(|exec\(/,
    pattern: new RegExp(
      String.raw`(?:getoutput|check_output|subprocess\.run|Popen|os\.system|os\.popen|\bexec|\beval)\([^\n]{0,60}\.recv\(|^(?=[^]{0,20000}(?:\bconnect\(\s*(?:\d|\{|\w+\s*,)|createConnection\(|new\s+(?:net\.)?Socket\(|new\s+WebSocket\())(?=[^]{0,20000}spawn\(\s*${SHELL})[^]{0,20000}?(?:\.pipe\(\s*\w+\.stdin|\.stdin\.write\(|\.pipe\()`,
    ),
    message: 'The code opens a shell for another machine',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'undeclared-behaviour',
    severity: 'error',
    pattern:
      /stratum\+(?:tcp|ssl|tls):\/\/|\bxmrig\b[^\n]{0,200}(?:\s-o\s|--url|--donate)|\s-o\s+["']?[\w.-]+:\d{4,5}["']?\s[^\n]{0,80}-u\s+\S/,
    describedBy: /\bmin(?:e|es|ing|er|ers)\b|hashrate/i,
    message: 'The command mines coins on the machine of the user',
    help: 'No other task needs this: remove it, or do not use the skill',
  },
  {
    class: 'remote-code',
    severity: 'warning',
    byHost: 'strict',
    isExact: true,
    pattern:
      /\bdocker\s+run\s[^\n]{0,200}\s(?:[\w-]+\.)+[a-z]{2,10}(?::\d+)?\/[\w./-]+|\bkubectl\b[^\n]{0,120}--image[= ](?:[\w-]+\.)+[a-z]{2,10}(?::\d+)?\/|\bssh\s[^\n]{0,200}\s-\w*R\s*\S+\s[^\n]{0,80}@[\w.-]+|\b(?:nc|ncat|openssl\s+s_client)\b[^\n|]{0,200}\|\s*(?:ba|z|da)?sh\b/,
    message: 'The command lets another host into the machine of the user',
    help: 'Ask the author whose host it is, and what it does',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    byHost: 'strict',
    isSpread: true,
    hint: /remote/,
    pattern:
      /\bgit\b[^\n]{0,40}\bremote\s+(?:add|set-url)\s+(?:-\S+\s+){0,3}["']?(?!origin\b|upstream\b)([\w-]+)["']?\s+["']?(?:https?|ssh|git):\/\/[^\n]{1,300}[^]{0,400}?\bgit\b[^\n]{0,40}\bpush\b[^\n]{0,80}\s["']?\1\b/,
    message: 'The command pushes the repository to a host that the skill does not declare',
    help: 'Ask the author whose host it is, and let the user choose the remote',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    isSpread: true,
    hint: /gethostby|getaddrinfo|resolve|lookup|\bdig\s|nslookup|\bhost\s/,
    pattern:
      /^(?=[^]{0,20000}(?:hexlify\(|\.hex\(\)|b(?:32|64|16)encode\(|toString\(\s*["'](?:hex|base64\w*)["']\s*\)|\bxxd\s+-\w*p|\bbase(?:32|64)\b|\bod\s+-))[^]{0,20000}?(?:gethostbyname\w*\(|getaddrinfo\(|\bresolver?\.(?:resolve|query)\(|\bdns\.(?:promises\.)?(?:lookup|resolve\w*)\(|(?:^|[\n;&|(]\s*)(?:dig|nslookup|host)\s[^\n]{0,80}["']?(?:\$\{?\w+\}?[-.]){1,4}[\w.-]*\.[a-z]{2,10}\b)/,
    describedBy: /\btunnel/i,
    message: 'The code looks up names that it makes of encoded data',
    help: 'Ask the author whose name server gets them',
  },
  {
    class: 'persistence',
    severity: 'error',
    pattern:
      /(?:[\d*/,-]+\s+){4}[\d*/,-]+\s[^\n]{0,80}\b(?:curl|wget)\b[^\n]{0,200}\|\s*(?:ba|z|da)?sh\b|\/hooks["'`)/][^]{0,20000}#!\/bin\/[^\n]{0,300}(?:curl|wget|nc)\s/,
    message: 'A scheduler starts a program of another host again and again',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'credential-access',
    severity: 'error',
    isSpread: true,
    hint: /\bread\s+-/,
    pattern:
      /\bread\s+-\w*s\w*\s[^\n]*?\b(\w+)["']?\s*(?:;|\n)[^]{0,200}?\b(?:echo|printf)\s[^\n]{0,60}\$\{?\1\}?[^\n]{0,20}>>?\s*(?!\/dev\/)[^]{0,300}?\b(?:sudo|ssh|su|login)\b[^\n]{0,60}"\$@"/,
    message: 'The command records a password that the user types',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    pattern:
      /\bgh\s+pr\s+merge\b[^\n]{0,80}--admin|\bgh\s+pr\s+review\b[^\n]{0,80}--approve|\bgh\s+repo\s+edit\b[^\n]{0,80}--visibility\s+public|\bgh\s+api\b[^\n]{0,80}collaborators\/|clusterrolebinding\b[^\n]{0,120}cluster-admin|\b(?:buy|purchase|order|add-payer|reserved\s+\w+)\b[^\n]{0,120}\s(?:--yes|-y|--force|--confirm|--no-confirm|--auto-approve)\b/,
    unless: /"""/,
    describedBy:
      /\bmerge|\bapprov|pull request reviews?|auto-?merge|\bbuy|purchas|\border|trad|market|wallet|\bbet|\brbac\b|cluster.?admin|visibility|collaborator/i,
    message: 'The command decides in the name of the user without asking',
    help: 'Leave the decision to the user',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    isSpread: true,
    hint: /send_message\(|sendmail\(|sendMail\(/,
    isUsualAdvice: true,
    pattern: /\bfor\b[^\n]{1,80}[^]{0,400}?\.(?:send_message|sendmail|sendMail)\(/,
    describedBy: SUBJECTS.messages,
    message: 'The code sends mail to many people in the name of the user',
    help: 'Show the user the mails and who gets them first',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    isSpread: true,
    hint: /sendTransaction|send_transaction/,
    pattern:
      /^(?=[^]{0,20000}(?:getBalance|get_balance|balanceOf))[^]{0,20000}?(?:sendTransaction|send_transaction)\(\s*(?:\{|dict\()[^]{0,120}?["']?\bto["']?\s*[:=]\s*["']0x[0-9a-fA-F]{40}["']/,
    message: 'The code sends the balance of a wallet to an address that the skill brings along',
    help: 'Let the user name the recipient',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    isSpread: true,
    hint: /withdraw|transfer|payout|payment|\/send\b/i,
    pattern:
      /(?:withdraw|transfer|payout|payment|\/send\b)[^]{0,300}?["'](?:to|address|destination|recipient|iban|payee)["']\s*:\s*(?:["'](?:bc1|0x|[13LT4])\w{8,}|["'][A-Z]{2}\d{2}[ \d]{8}|[A-Z][A-Z_]{3,}\b)/i,
    message: 'The code sends money of the user to an address that the skill brings along',
    help: 'Let the user name the recipient',
  },
  {
    class: 'remote-code',
    severity: 'warning',
    byHost: 'strict',
    isSpread: true,
    pattern:
      /\bhttps?["']?\)?\.get\([^]{0,300}?createWriteStream\(\s*(["'\w./]{1,80})[^]{0,600}?(?:exec\w*|spawn)\w*\(\s*\1|(?<![.\w])import\(\s*["'`]https?:\/\/[^"'`\s]{1,200}/,
    message: 'The code loads a program of another host and starts it',
    help: 'Put the code into the skill, so that it can be read',
  },
  {
    class: 'disabled-protection',
    severity: 'warning',
    isUsualAdvice: true,
    pattern:
      /NOPASSWD:\s*ALL[^\n]{0,60}(?:\btee\b|>)|(?:\btee\s+(?:-a\s+)?|>>?\s*)["']?\/etc\/sudoers|\b(?:useradd|usermod|adduser)\b[^\n]{0,80}\b(?:sudo|wheel|admin)\b|\bchpasswd\b|\b(?:cloudflared\s+tunnel|ngrok\s+tcp|bore\s+local|frpc)\b[^\n]{0,80}(?:\bssh\b|\b22\b)/,
    unless: /NOPASSWD:\s*[/"$]/,
    describedBy:
      /sudo|\busers?\b.{0,20}\b(?:creat|add|manag)|provision|hardening|tunnel|expos|remote access/i,
    message: 'The command gives others the rights of the user on the machine',
    help: 'Ask the author why the task needs it',
  },
  {
    class: 'persistence',
    severity: 'warning',
    pattern:
      /["'][^"'\n]{0,80}(?:(?:user|site)customize\.py|\.bashrc|\.zshrc|\.profile|\.bash_profile|\.zprofile)["']\s*\)?\)?\.(?:write_text|open\(\s*["'][aw])/,
    unless: /export\s+\w+=|\bPATH=|\balias\s|completion/,
    describedBy: SUBJECTS.startup,
    message: 'The code writes a file that the shell or an interpreter starts',
    help: 'Name it in the description, and ask the user before it is written',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    pattern:
      /\b(?:password_value|encrypted_value|encryptedPassword)\b[^;]{0,120}\bfrom\s+(?:logins|cookies|moz_\w+)\b/i,
    describedBy: SUBJECTS.keys,
    message: 'The code reads cookies or passwords of the browser',
    help: 'Ask the author which task needs it, and name it in the description',
  },
  {
    class: 'remote-code',
    severity: 'warning',
    byHost: 'strict',
    isExact: true,
    hint: /index-url|registry/,
    pattern:
      /(?:^|\n)\s*--(?:extra-)?index-url[ =]+https?:\/\/[^\s]{1,200}|(?:^|\n)\s*(?:@[\w-]{1,60}:)?registry\s*=\s*["']?https?:\/\/[^\s"']{1,200}/,
    unless: /pypi\.org(?![.\w])|registry\.npmjs|download\.pytorch|localhost/,
    message: 'The file takes packages from an address outside of the registries',
    help: 'Use packages of a registry, with their versions pinned',
  },
  {
    class: 'agent-configuration',
    severity: 'warning',
    pattern: /\bmcpServers\b\??(?:\.|\[)[^\n=]{1,60}=\s*(?:\{|dict\()/,
    describedBy: SUBJECTS.agents,
    message: 'The code gives agents a server of tools',
    help: 'Name it in the description, and ask the user before it is written',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    isSpread: true,
    hint: /credential|security\s|\benv\b/,
    pattern:
      /(?:\bgit\s+credential\s+fill|\bsecurity\s+find-\w+-password\b[^\n]{0,80}-w|\b(?:env|printenv)\s*\|\s*grep\b[^\n]{0,60}(?:TOKEN|SECRET|KEY|PASS))[^]{0,100}?(?:\|\s*tee\b|>>?\s*(?!\/dev\/null|&)["']?[\w$./~])/,
    describedBy: SUBJECTS.keys,
    message: 'The command writes credentials of the user into a file',
    help: 'Ask the author why the task needs them in clear text',
  },
]
