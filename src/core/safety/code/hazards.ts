import type { SafetyClass, SafetyFinding } from '../safety-finding.ts'
import { SUBJECTS } from '../prose/subjects.ts'

/** A statement that harms on its own. */
export interface Hazard {
  class: SafetyClass
  severity: SafetyFinding['severity']
  /** Words without which the pattern cannot match; a cheap test before it. */
  hint?: RegExp
  pattern: RegExp
  unless?: RegExp
  describedBy?: RegExp
  /** Severity by the host that the statement names; `strict` if a host named after the skill counts. */
  byHost?: 'loose' | 'strict'
  /** True if documents often advise it, so that only a file of code does it unasked. */
  isUsualAdvice?: true
  /** True if only the hosts of the match count, and not those of the statement. */
  isExact?: true
  /** True if several statements together make it. */
  isSpread?: true
  message: string
  help: string
}

const FETCH = String.raw`(?:curl|wget|iwr|irm|fetch|Invoke-WebRequest|Invoke-RestMethod)\b`
const SHELLS = String.raw`(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+\S+\s+)?(?:\/(?:usr\/)?bin\/)?(?:ba|z|da|k)?sh\b|(?:sudo\s+)?(?:python[\d.]*|node|perl|ruby|php|osascript)\b(?!\s+-(?:m|c)\s*["']?(?:json|import json|.{0,40}json))(?!\s+-[ec])|iex\b|Invoke-Expression`
const EVALS = String.raw`(?:(?<![.\w])(?:eval|exec|execfile)|new\s+Function|\bFunction|vm\.run\w*|compile|child_process\.\w+|execSync|subprocess\.\w+|os\.system|os\.popen|Invoke-Expression|iex|pickle\.loads|marshal\.loads)`

export const HAZARDS: readonly Hazard[] = [
  {
    class: 'remote-code',
    severity: 'warning',
    byHost: 'loose',
    pattern: new RegExp(
      `\\b${FETCH}(?:[^\\n|]|\\|\\|){0,600}\\|\\s{0,20}(?:tee\\s[^|]{0,100}\\|\\s{0,20})?(?:${SHELLS})|(?:${SHELLS}|\\bsource|\\beval|\\.)\\s{0,6}(?:-c\\s{0,4})?(?:\\/dev\\/stdin\\s{0,4})?(?:<<<\\s{0,4})?["']?(?:<\\(|\\$\\(|\`)\\s{0,10}${FETCH}|(?:\\biex|Invoke-Expression)\\s{0,4}\\(+\\s{0,4}(?:irm|iwr|curl|New-Object|Invoke-)|DownloadString\\(`,
      'i',
    ),
    message: 'The command runs a program that it downloads at that moment',
    help: 'Name the publisher and pin a version with its digest: the text at this address can change',
  },
  {
    class: 'remote-code',
    severity: 'error',
    pattern: new RegExp(
      `${EVALS}\\s{0,6}\\((?:[^\\n]{0,80})(?:urlopen|requests\\.(?:get|post)|httpx\\.(?:get|post)|await\\s+fetch|axios\\.get|\\.text\\(\\)|urllib|getresponse\\()|(?:\\bfetch|axios\\.get|urlopen)\\([^\\n]{0,300}(?:(?<![.\\w])eval|new\\s+Function|vm\\.run\\w*)\\(`,
    ),
    unless: /curl_args|json\.loads|compile\(r?["']/,
    message: 'The code executes a text that it fetches',
    help: 'Put the code into the skill, so that it can be read',
  },
  {
    class: 'remote-code',
    severity: 'warning',
    byHost: 'strict',
    pattern:
      /\bpip[\d.]*\s+install\b[^\n]{0,200}(?:--(?:extra-)?index-url|-i)[ =]+["']?https?:\/\/|\b(?:pip[\d.]*\s+install|uv\s+(?:pip\s+install|add|tool\s+install)|pipx\s+(?:install|run)|uvx\s+--from|npm\s+(?:i|install)|pnpm\s+(?:i|install|add|dlx)|yarn\s+add|bun\s+(?:add|x)|npx|bunx)\s+(?:-\S+\s+){0,5}["']?(?:\S{1,60}\s?@\s?)?(?:git\+)?https?:\/\/[^\s"']{1,300}|\bnpm\s[^\n]{0,120}--registry[ =]+["']?https?:\/\//i,
    unless: /pypi\.org(?![.\w])|registry\.npmjs|download\.pytorch|localhost/,
    message: 'The command installs a package from an address outside of the registries',
    help: 'Use a package of a registry, with its version pinned',
  },
  {
    class: 'remote-code',
    severity: 'warning',
    byHost: 'strict',
    isSpread: true,
    pattern:
      /\b(?:curl|wget|iwr)\b[^\n]{0,400}https?:\/\/[^\n]{1,400}?(?:-\w*[oO]|--output|-OutFile|>)\s*["']?([\w./~$-]{2,100})[^]{0,300}?(?:chmod\s+\S+\s+["']?\1(?![\w/])|\b(?:ba|z)?sh\s+["']?\1(?![\w/])|(?:^|[\n;&]\s*)(?:sudo\s+|nohup\s+|Start-Process\s+)?["']?\1(?![\w/]))|\b(?:curl|wget)\b[^\n]{0,200}(?:-\w*[oO]|--output)\s*["']?([\w./~$-]{2,100})["']?\s[^\n]{0,200}https?:\/\/[^]{1,500}?(?:chmod\s+\S+\s+["']?\2(?![\w/])|\b(?:ba|z)?sh\s+["']?\2(?![\w/])|(?:^|[\n;&]\s*)(?:sudo\s+|nohup\s+)?["']?\2(?![\w/]))|\b(?:wget|curl\s[^\n]{0,60}-\w*O\w*)\s[^\n]{0,200}https?:\/\/[^\s"']{1,300}\/([\w.-]{3,80})["']?\s*(?:\n|&&|;)[^]{0,200}?(?:chmod\s+\S+\s+(?:\.\/)?\3(?![\w/])|\b(?:ba|z)?sh\s+(?:\.\/)?\3(?![\w/])|\.\/\3(?![\w/]))/i,
    unless: /sha(?:256|512|1)?sum|gpg\s+--verify|cosign|minisign/,
    message: 'The command downloads a program and starts it',
    help: 'Name the publisher and pin a version with its digest',
  },
  {
    class: 'obfuscated-code',
    severity: 'error',
    pattern:
      /\bpowershell\b[^\n]{0,120}\s-e(?:nc\w*|c)?\s+[A-Za-z0-9+/=]{20}|(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|openssl\s+(?:enc\s+)?(?:-d\s+)?-?base64\s+-d|\brev\b|\btr\s+["']?[A-Za-z-]{2,52}["']?\s+["']?[N-Zn-z][A-Za-z-]+["']?|gunzip(?:\s+-c)?|\bgzip\s+-d\w*)[^\n|]{0,80}\|\s*(?:sudo\s+)?(?:(?:ba|z|da)?sh|python[\d.]*|node|perl|source|eval)\b(?!\s+-m)|(?:\beval|\bsh\s+-c|\bsource)\s+["']?(?:\$\(|`|<\()[^\n)`]{0,300}(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|\brev\b)/,
    message: 'The command decodes a text and executes it',
    help: 'Write the command as it is, so that it can be read',
  },
  {
    class: 'obfuscated-code',
    severity: 'error',
    pattern:
      /(?<![.\w])(?:eval|exec|new\s+Function|Function|setTimeout|execSync|os\.system|subprocess\.(?:run|call|Popen|check_output)|vm\.runIn\w+|loads|create_function|assert)\s*\(\s*(?:[\w.]{1,40}\(\s*){0,4}(?:(?:\w+\.)?b(?:64|32|85)decode|atob|zlib\.decompress|bytes\.fromhex|codecs\.decode|unhexlify|Buffer\.from\([^)]{1,3000}["'](?:base64|hex)["']|marshal\.loads|String\.fromCharCode|base64_decode|gzinflate|lzma\.decompress)/,
    message: 'The code decodes a text and executes it',
    help: 'Write the code as it is, so that it can be read',
  },
  {
    class: 'obfuscated-code',
    severity: 'warning',
    pattern:
      /getattr\(\s*(?:__import__\(|__builtins__|builtins|os|importlib|sys\.modules)[^)]{0,80}["'][^"']{0,12}["']\s*(?:\+|\[|["'])|__import__\(\s*(?:["'][^"']{0,10}["']\s*\+|[\w.]{1,40}\()|(?:globals|locals|vars)\(\)\s*\[\s*(?:["'][^"']{0,12}["']\s*\+|[\w.]{1,40}\(|chr\()|(?:globalThis|window|global|self)\[\s*(?:["'`][^"'`]{0,12}["'`]\s*\+|\[\s*["']|atob|[\w$]{1,20}\()|(?:process|module|require)\[["'`]\w{1,12}["'`]\s*\+|\brequire\(\s*(?:["'`][^"'`]{0,8}["'`]\s*\+|atob|String\.fromCharCode)|\[\]\[["']\w{2,12}["']\s*\+/,
    message: 'The code hides the name of the function that it calls',
    help: 'Call the function by its name',
  },
  {
    class: 'destruction',
    severity: 'error',
    pattern:
      /\brm\s+(?:-[a-zA-Z-]+\s+)*-?[a-zA-Z]*(?:r[a-zA-Z]*f|f[a-zA-Z]*r|R[a-zA-Z]*f|-recursive)[a-zA-Z]*\s+(?:--no-preserve-root\s+)?(?:--\s+)?["']?(?:~|\/|\/\*|~\/\*|\$\{?HOME\}?|\$HOME\/\*|\/home|\/Users|\/etc|\/usr|\/var|~\/Documents|~\/Desktop)["']?\/?\*?(?=\s|$|["';&|)])|\bshutil\.rmtree\(\s*["']?(?:~|\/)["']?\s*[,)]|\bmkfs(?:\.\w+)?\s+[^\n]{0,40}\/dev\/(?:sd|nvme|disk|hd|vda|mmcblk|\$)|\bdd\s+[^\n]{0,100}of=\/dev\/(?:sd|nvme|disk|hd)|:\(\)\s*\{\s*:\s*\|\s*:|>\s*\/dev\/sd[a-z]\b|\bRemove-Item\b[^\n]{0,60}-Recurse[^\n]{0,60}(?:\$env:USERPROFILE|\$HOME|C:\\(?:\s|$|\*))|\bfs\.rm(?:dir)?(?:Sync)?\(\s*["']?~["']?\s*,|\bfind\s+(?:~|\/|\$HOME|"?\$\{?HOME\}?"?)\s[^\n]{0,80}-delete\b/,
    describedBy: /^$/,
    message: 'The command deletes the files of the user or of the system',
    help: 'Delete only what the skill created',
  },
  {
    class: 'destruction',
    severity: 'warning',
    pattern:
      /\bgit\s+push\s+(?:[^\n&;|]{0,60}\s)?(?:--force(?!-with-lease)|-f)\b[^\n]{0,60}(?:--all|--mirror|\bmain\b|\bmaster\b)|\bgit\s+(?:filter-branch|filter-repo)\b[^\n]{0,200}|\bDROP\s+DATABASE\s+(?!IF\s+EXISTS\s+(?:test|tmp))(?:["'`$]?\w)|\bshred\s+(?:-\w+\s+)*[^\n]{0,60}(?:~|\$HOME|\*)|\bgit\s+reflog\s+expire[^\n]{0,80}--all|\bvssadmin\s+delete|\bwbadmin\s+delete|\btmutil\s+(?:delete|disable)/i,
    isUsualAdvice: true,
    describedBy: SUBJECTS.destruction,
    message: 'The command destroys data that cannot be restored',
    help: 'Ask the user first, with the list of what goes',
  },
  {
    class: 'disabled-protection',
    severity: 'warning',
    pattern:
      /\bsetenforce\s+0|\bufw\s+disable|\bcsrutil\s+disable|\bspctl\s+--master-disable|Set-MpPreference\s[^\n]{0,60}-Disable|Add-MpPreference\s[^\n]{0,40}-Exclusion|\b(?:systemctl|service)\s+(?:--\S+\s+)*(?:stop|disable|mask)\s+(?:--now\s+)?(?:auditd|falcon|crowdstrike|firewalld|ufw|apparmor|clamav|osquery|sentinel)\w*|\b(?:pkill|killall)\s+(?:-\S+\s+)*(?:falcon|sentinel|crowdstrike|osquery|auditd|clamd|santad|littlesnitch)\w*|\bauditctl\s+-e\s*0|\bhistory\s+-c\b|\bunset\s+HISTFILE|HISTFILE=\/dev\/null|HISTSIZE=0|iptables\s+-F\b|netsh\s+advfirewall\s+set\s+\w+\s+state\s+off|\bxattr\s+-(?:r?d|c)r?\s+(?:com\.apple\.quarantine)?/i,
    isUsualAdvice: true,
    describedBy: SUBJECTS.security,
    message: 'The command turns off a protection of the machine',
    help: 'Ask the author why the task needs it',
  },
  {
    class: 'skipped-approval',
    severity: 'warning',
    pattern:
      /["']?defaultMode["']?\s*:\s*["']bypassPermissions|["']?skipDangerousModePermissionPrompt["']?\s*[:=]\s*["']?true|["']allow["']\s*:\s*\[\s*["'](?:\*|Bash\(?\*?\)?|Bash\(\*:\*\))["']|approval_policy["']?\s*[=:]\s*["']never["'][^]{0,80}danger-full-access|["']?chat\.tools\.(?:global\.)?autoApprove["']?\s*[:=]\s*true|autoApprove["']?\s*:\s*(?:true|\[\s*["']\*)/,
    describedBy: /permission|settings|auto-?approv|yolo|bypass|sandbox|autonom/i,
    message: 'The setting lets agents act without asking the user',
    help: 'Leave the decision to the user, or ask the author why the skill needs it',
  },
  {
    class: 'persistence',
    severity: 'warning',
    pattern:
      /(?:>>\s*|>\s*|\btee\s+(?:-a\s+)?|\bcp\s+\S+\s+|\bmv\s+\S+\s+|\binstall\s+(?:-\S+\s+)*\S+\s+|\bln\s+-\S+\s+\S+\s+|\bopen\(\s*|write_text|writeFile(?:Sync)?\(\s*|appendFile(?:Sync)?\(\s*|sed\s+-i[^\n]{0,100}|\|\s*)["']?[^\s"'|;&]{0,80}(?:(?<![\w)\]])\.(?:bashrc|bash_profile|zshrc|zprofile|zshenv|profile)\b|Library\/LaunchAgents|\.config\/systemd\/user|\/etc\/(?:cron[\w.]*|systemd\/system|profile|rc\.local|ld\.so\.preload)|\.config\/autostart|authorized_keys|\.git\/hooks\/[\w-]+|\/hooks\/(?:pre|post|commit|prepare)-[\w-]+|sitecustomize\.py|usercustomize\.py|\.pth\b)|\|\s*crontab\s+-|\bcrontab\s+(?!-[lr]\b|-e\b)[\w/.$"'-]+|\blaunchctl\s+(?:load|bootstrap|enable)|systemctl\s+--user\s+(?:enable|start)|\bgit\s+config\s+--global\s+(?:core\.hooksPath|init\.templateDir|core\.fsmonitor|core\.sshCommand|credential\.helper\s+["']?!)|CurrentVersion\\+Run\b[^\n]{0,80}(?:\/d|-Value|SetValue)|schtasks\s+\/create|Register-ScheduledTask/i,
    unless:
      /export\s+\w+=|\bPATH=|\balias\s|completion|eval\s+"\$\((?:\w+\s+(?:init|hook|activate|shellenv|env|completion)|starship|direnv|zoxide|fnm|mise|pyenv|rbenv)|source\s+["~<$]|nvm|API_KEY|_TOKEN|open\([^)]{1,120}["']r["']\s*\)|known_hosts/,
    isUsualAdvice: true,
    describedBy: SUBJECTS.startup,
    message: 'The code writes a file that the shell, git or a scheduler starts',
    help: 'Name it in the description, and ask the user before it is written',
  },
  {
    class: 'agent-configuration',
    severity: 'warning',
    pattern:
      /(?:>>\s*|(?<![-=>])>\s*|\btee\s+(?:-a\s+)?|\bcp\s+(?:-\S+\s+)*\S+\s+|\bln\s+-\S+\s+\S+\s+|open\(\s*|writeFile(?:Sync)?\(\s*|appendFile(?:Sync)?\(\s*)["']?(?:[^\s"'|;&]{0,60}\/)?(?:(?:CLAUDE|AGENTS|GEMINI|SOUL|HEARTBEAT)\.md\b|\.claude\/(?:settings(?:\.local)?\.json|hooks\/|skills\/[\w-]+\/SKILL\.md)|\.codex\/(?:config\.toml|AGENTS\.md)|\.cursor\/(?:mcp\.json|rules)|\.mcp\.json|\.claude\.json|claude_desktop_config\.json|\.cursorrules)/,
    unless:
      /open\([^)]{1,120}(?:["']r["']\s*)?\)\s*(?:as|\.read|:)|readFile|cp\s+(?:-\S+\s+)*\S*SKILL\.md/,
    describedBy: SUBJECTS.agents,
    message: 'The code changes the instructions, tools or rights of agents',
    help: 'Name it in the description, and ask the user before it is written',
  },
  {
    class: 'destruction',
    severity: 'error',
    isSpread: true,
    pattern:
      /^(?=[^]{0,20000}(?:os\.walk|rglob|glob\(|\bfind\s|readdir))(?=[^]{0,20000}(?:expanduser|homedir|Path\.home|\$HOME|~\/|["']~["']))(?=[^]{0,20000}(?:\.encrypt\(|createCipheriv|openssl\s+enc|\bgpg\s+(?:-c|--symmetric)))[^]{0,20000}?(?:os\.(?:remove|unlink)|\.unlink\(|unlinkSync|rmSync|\bshred\b|\brm\s)/,
    describedBy: /encrypt|verschlüssel|cifra|加密/i,
    message: 'The code encrypts the files of the user and deletes the originals',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    byHost: 'strict',
    pattern:
      /\bgit\s+remote\s+(?:add|set-url)\s[^\n]{0,200}https?:\/\/[^\n]{0,300}\bgit\s+push\b|\bgit\s+(?:-C\s+\S+\s+)?push\s+(?:-\S+\s+)*["']?(?:https?|ssh):\/\//i,
    message: 'The command pushes the repository to a host that the skill does not declare',
    help: 'Ask the author whose host it is, and let the user choose the remote',
  },
  {
    class: 'data-upload',
    severity: 'error',
    pattern:
      /\b(?:bash|sh)\s+-i\s*[>&<]{1,3}\s*\/dev\/tcp\/|\/dev\/tcp\/[\w.${}-]+\/\d+\s*0>&1|\bnc(?:at)?\s+(?:-\S+\s+)*[\w.-]+\s+\d+\s+-e\s*\/bin|\bnc(?:at)?\s+(?:-\w*e\w*)\s+\/bin\/|\bmkfifo\s[^\n]{1,100}\|\s*nc\b|dup2\(\s*\w+\.fileno\(\)|pty\.spawn\(\s*["']\/bin\/(?:ba)?sh|socket[^\n]{0,200}exec\(["']\/bin\/sh/,
    message: 'The command opens a shell for another machine',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'remote-code',
    severity: 'warning',
    pattern:
      /"(?:preinstall|install|postinstall|prepare|prepublish|preuninstall)"\s*:\s*"(?:[^"\\\n]|\\.){0,400}?(?:\bcurl\s|\bwget\s|\bnode -e\b|\bpython3? -c\b|(?<!")https?:\/\/|\bbase64\b|\beval\b|\/dev\/tcp|powershell)/,
    unless:
      /\b(?:localhost|playwright|husky|electron|prebuild|node-gyp)\b|"external"\s*:|brew install|apt(?:-get)? install/,
    message: 'The package runs a command of another host when it is installed',
    help: 'Remove the command, or ask the author what the installation needs it for',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    byHost: 'strict',
    pattern:
      /"command"\s*:\s*"(?:[^"\\\n]|\\.){0,300}?\b(?:curl|wget|nc|Invoke-WebRequest|iwr)\b(?:[^"\\\n]|\\.){0,300}(?:\s-d|--data|\s-F|\s-T|@-|\$\(|\||--post)/,
    message: 'The settings start a command that sends data to another host',
    help: 'Ask the author whose host it is, and what is sent',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    byHost: 'strict',
    hint: /\b(?:AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|GITHUB_TOKEN|GH_TOKEN|GITLAB_TOKEN|NPM_TOKEN|PYPI_TOKEN|ANTHROPIC_API_KEY|CLAUDE_API_KEY|CLAUDE_CODE_OAUTH_TOKEN|SSH_PRIVATE_KEY|KUBECONFIG|VAULT_TOKEN|DOCKER_PASSWORD|GOOGLE_APPLICATION_CREDENTIALS)\b/,
    pattern:
      /(?=[^\n]{0,1500}\b(?:AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|GITHUB_TOKEN|GH_TOKEN|GITLAB_TOKEN|NPM_TOKEN|PYPI_TOKEN|ANTHROPIC_API_KEY|CLAUDE_API_KEY|CLAUDE_CODE_OAUTH_TOKEN|SSH_PRIVATE_KEY|KUBECONFIG|VAULT_TOKEN|DOCKER_PASSWORD|GOOGLE_APPLICATION_CREDENTIALS)\b)[^\n]{0,800}?(?:\b(?:curl|wget|Invoke-RestMethod|Invoke-WebRequest)\s|\bfetch\(|\burlopen\(|\.(?:post|put|request|get)\()[^\n]{0,600}https?:\/\//,
    message: 'The command sends the token of one service to the host of another',
    help: 'Ask the author whose host it is, and why it needs this token',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    isSpread: true,
    hint: /clip|pb(?:copy|paste)/i,
    pattern:
      /^(?=[^]{0,20000}(?:pyperclip\.paste|clipboard\.read|pbpaste|xclip\b[^\n]{0,40}-o|Get-Clipboard|clipboardy\.read))(?=[^]{0,20000}(?:\b0x[0-9a-fA-F]{40}\b|\b(?:bc1|[13])[a-zA-HJ-NP-Z0-9]{25,60}\b|0x\[[0-9a-fA-F-]{6,12}\]\{|bc1\[))[^]{0,20000}?(?:pyperclip\.copy|clipboard\.write|pbcopy|xclip|Set-Clipboard|clipboardy\.write)/,
    message: 'The code puts an address of a wallet into the clipboard',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    isSpread: true,
    pattern:
      /^(?=[^]{0,20000}\b(?:PRIVATE_KEY|MNEMONIC|SECRET_KEY|SEED_PHRASE|id\.json|privateKey|secretKey|from_key|fromMnemonic)\b)[^]{0,20000}?(?:\b(?:sendTransaction|send_transaction|signTransaction|sign_transaction|transfer)\(\s*(?:\{|dict\()?[^]{0,200}?["']?\bto["']?\s*[:=]\s*["']0x[0-9a-fA-F]{40}["'](?![^]{0,120}["']?data["']?\s*[:=]))/,
    message:
      'The code sends money from the wallet of the user to an address that the skill brings along',
    help: 'Let the user name the recipient',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    byHost: 'strict',
    pattern:
      /\bgit\s+config\s[^\n]{0,60}\burl\.[^\n]{1,200}\.(?:insteadOf|pushInsteadOf)\b|\bgit\s+config\s[^\n]{0,40}\bhttps?\.proxy\s+\S+|\b(?:npm|yarn|pnpm)\s+config\s+set\s+(?:https?-)?(?:proxy|registry)\s+https?:|\bpip[\d.]*\s+config\s+set\s+\S*index-url\s/i,
    message: 'The command leads git or packages over a host that the skill does not declare',
    help: 'Ask the author whose host it is, and let the user choose it',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    byHost: 'strict',
    pattern:
      /\b(?:tar|zip|7z|git\s+(?:bundle|archive)|find|ls|cat|history|dump|mysqldump|pg_dump|sqlite3)\s[^\n|]{0,200}\|[^\n]{0,120}(?:\bcurl\s[^\n]{0,200}(?:-T\s|--upload-file|@-|-F\s)|\bnc(?:at)?\s|\bwget\s[^\n]{0,120}--post-file)/i,
    message: 'The command sends files to a host that the skill does not declare',
    help: 'Ask the author whose host it is, and what is sent',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    isSpread: true,
    pattern:
      /^(?=[^]{0,20000}(?:pynput|keyboard\.(?:Listener|on_press|hook|record)|GlobalKeyboardListener|iohook|node-global-key|SetWindowsHookEx|CGEventTapCreate|xinput\s+test|logkeys))[^]{0,20000}?(?:requests\.|urlopen|https?:\/\/|socket|smtplib|fetch\()/,
    unless: /\bstrings:\s|\brule\s+\w+\s*(?::[^\n]{0,80})?\{/,
    message: 'The code records what the user types, and uses the network',
    help: 'No task needs this: remove it, or do not use the skill',
  },
]
