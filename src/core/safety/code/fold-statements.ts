import { splitStatements } from '../texts/cut-code.ts'
import type { FoldedStatement } from './carriers.ts'
import { foldStatement } from './fold-code.ts'
import { findCodesHelper, HELPER, readCommand } from './fold-lists.ts'

/** Signs without which no statement is looked at in full. */
export const MAY_HARM =
  /curl|wget|index-url|password_value|encrypted_value|encryptedPassword|sendall|\.Request\(|getoutput|create_connection|makefile|skipDangerous|git\b[^\n]{0,12}log|\.constructor|getPrototypeOf|mcpServers|\biwr|\birm|Invoke|eval|\bexec\w*\(|-exec\b|\bexec\s+["'$/\d<>&]|\bexec\s+(?:ba|z)?sh|execSync|execFile|Exec|exec\b["'\]]|Function|system|popen|spawn|subprocess|base64|b64|atob|fromhex|unhexlify|fromCharCode|chr\(|__import__|getattr|globals|\brm\s|rmtree|rmSync|mkfs|\bdd\s|push|DROP|drop |shred|vssadmin|setenforce|ufw|csrutil|MpPreference|\.\w+_history|history -c|HISTFILE|crontab|launchctl|LaunchAgents|hooks|rc\b|profile|autostart|CurrentVersion|schtasks|CLAUDE|AGENTS|SOUL|MEMORY|settings|mcp|\.ssh|\.aws|\.env|netrc|npmrc|pypirc|\.kube|kubeconfig|id_rsa|id_ed|gnupg|gcloud|keyring|security\s|secret-tool|Cookies|Login Data|cookies|environ|process\.env|printenv|\benv\s*\||socket|\/dev\/tcp|\bnc\s|ncat|\bdig\s|nslookup|\bpip|\bnpm|\bnpx|\buvx|autoApprove|bypassPermissions|approval_policy|\.claude|\.codex|\.openclaw|wallet|keystore|shadow|169\.254|datetime|Date\(|hostname|HOSTNAME|getuser|xattr|Fernet|requests\.|fetch\(|axios|urlopen|smtplib|scp\s|rsync|\bftp|sendBeacon|XMLHttp|https?\.request|\.connect\(|dns\.|WebSocket|mail|gist|s3\s|rclone|gsutil|\.post\(|\.put\(|encrypt|IEX|Web[Rr]equest|Download|resolve[46TACM]|\.patch\(|\.request\(|Net::|HTTP|Connection\(|ftplib|Transport\(|Upload|BitsTransfer|\/hooks\/|install"|prepare"|"command"|clipboard|pyperclip|pbcopy|xclip|Clipboard|sendTransaction|PRIVATE_KEY|net\.|for\s[^\n]{1,40}\.env|insteadOf|proxy|registry|pynput|keyboard|\btar\s|joinpath\(|reflog|-delete|-exec|stratum|xmrig|\s-o\s|docker|kubectl|\bssh\s|remote|gethostby|getaddrinfo|s_client|gh\s|--yes|dropdb|\bremove|unlink|aws|zip\s|write_bytes|HOW|read\s-|\.recv|\* \*|make_archive|walk\(|rglob|iterdir|schema|SCHEMA|DELETE|urlretrieve|globalThis|\\[01][0-7]{2}|gist|sudoers|useradd|chpasswd|cloudflared|customize|powershell|file_get_contents|pickle|import\(|terraform|\bpsql|vm\.|source\s|\.encrypt|dup2|"~"|xxd|\brev\b|\\x[\da-f$]|require\(|_TOKEN|chmod|write_bytes|find\s|ImapMail|thunderbird|credential/

const CONSTANT =
  /(?:^|;)\s*(?:export\s+|local\s+|readonly\s+|const\s+|let\s+|var\s+)?([A-Za-z_]\w*)\s*(?::\s*\w+\s*)?=\s*(?:[rbu]?"([^"\n]{1,300})"|[rbu]?'([^'\n]{1,300})'|([\w~/.:@+=-]{2,200}))\s*(?=;|#|$)/g

const LIST =
  /^\s*(?:const\s+|let\s+|var\s+)?([A-Za-z_]\w*)\s*=\s*[[(]\s*((?:["'\d]|(?<=[^=]=\()\w)[^\][()]{1,4000})[\])]\s*;?\s*$/

/** The statements of code, each with its texts put together. */
export function foldStatements(code: string): FoldedStatement[] {
  const constants = new Map<string, string>()
  const aliases = listAliases(code)
  return splitStatements(code).map(({ text, start }) => {
    const command = readCommand(text)
    const named = nameEnvironment(text, aliases)
    const folded = foldStatement(command ? `${named}\n${command}` : named, constants)
    if (constants.size < MAX_CONSTANTS) addConstants(constants, folded)
    const mayHarm = MAY_HARM.test(folded) || (folded !== text && MAY_HARM.test(text))
    return { text: folded, written: text, start, mayHarm }
  })
}

const MAX_CONSTANTS = 300

const ALIAS = /\b([A-Za-z_]\w*)\s*=\s*(process\.env|os\.environ)(?=\s*[,;\n])/g

/** Other names of the environment. */
function listAliases(code: string): ReadonlyMap<string, string> {
  if (!/=\s*(?:process\.env|os\.environ)\s*[,;\n]/.test(code)) return new Map()
  return new Map([...code.matchAll(ALIAS)].map(([, name = '', value = '']) => [name, value]))
}

function nameEnvironment(text: string, aliases: ReadonlyMap<string, string>): string {
  let named = text
  for (const [name, value] of aliases)
    named = named.replace(new RegExp(`(?<=[(,\\s])${name}(?=\\s*\\)|\\.items\\()`, 'g'), value)
  return named
}

/** Adds the text that a statement gives a name, or its list of texts as `name[]`. */
function addConstants(constants: Map<string, string>, text: string): void {
  const helper = findCodesHelper(text)
  if (helper) constants.set(HELPER, helper)
  if (!text.includes('=')) return
  for (const [, name, double, single, bare] of text.slice(0, 400).matchAll(CONSTANT)) {
    const value = double ?? single ?? bare
    if (name && value !== undefined && value !== name) constants.set(name, value)
  }
  const [, list, items] = LIST.exec(text) ?? []
  if (list && items) constants.set(`${list}[]`, `[${items}]`)
}
