import { classifyHosts, type HostKind } from '../hosts.ts'
import { namesPlace, type SensitivePlace } from '../places.ts'
import type { SafetySource } from '../safety-finding.ts'
import { findCarriers, findFunction, type Carrier, type FoldedStatement } from './carriers.ts'

export interface Flow {
  statement: FoldedStatement
  place: SensitivePlace
  host: HostKind | undefined
  /** True if the data of the place is seen to be sent. */
  isSeen: boolean
}

/** Calls and programs that send data. */
export const SENDS =
  /\brequests\.(?:post|put|patch|request)\(|\bgh\s+(?:issue|gist|pr)\s+create\b[^\n]{0,200}\s(?:-F|--body-file|-b)\b|\bhttps?["']?\)?\.get\([^\n]{0,200}\?[^\n]{0,80}\+|\bhttpx\.(?:post|put|patch|request)\(|\b(?:session|client|s|http)\.(?:post|put)\(|\burlopen\(|\burllib\.request\.Request\(|\bfetch\(|\baxios(?:\.(?:post|put|request))?\(|\bgot\.(?:post|put)\(|\bXMLHttpRequest\b|sendBeacon\(|\bhttps?\.request\(|(?<![.\w])request\(\s*\{|(?<!\bres|\bresponse)\.end\(\s*JSON\.|\bopenssl\s+s_client\b|file_get_contents\(\s*["']https?:|\bcurl\b[^\n]{0,400}\s(?:-\w{0,6}[dFT](?![\w-])|-d@|--data|--form|--upload-file|-X\s*(?:POST|PUT)|--json)|\bcurl\b[^\n]{0,200}["']?https?:\/\/[^\s]{0,200}[$`]|\bwget\b[^\n]{0,200}--(?:post|body)|\bwget\b[^\n]{0,100}https?:\/\/[^\s]{0,200}[$`]|(?<![-\w])(?:nc|ncat|netcat|socat)\s|\/dev\/(?:tcp|udp)\/|\.sendall\(|\.sendto\(|\bsocket\.(?:create_connection|getaddrinfo|gethostbyname)\(|\.connect\(\s*\(|net\.(?:connect|createConnection)\(|\bsmtplib\b|\.sendmail\(|\.send_message\(|\bmailx?\s+-s|\bsendmail\b|\bscp\s|\brsync\s[^\n]{0,100}\w:|\bsftp\b|\bftp\b|\baws\s+s3\s+(?:cp|sync|mv)\b|\bgsutil\s+(?:cp|rsync)|\brclone\s+(?:copy|sync)|\bgh\s+gist\s+create|\b(?:dig|nslookup|host)\s+[^\n]{0,80}(?:\$|`)|dns\.(?:lookup|resolve\w*)\(|\bresolver?\.(?:resolve|query)\(|upload_file(?:obj)?\(|put_object\(|new\s+WebSocket\(|Invoke-(?:WebRequest|RestMethod)\b[^\n]{0,200}-(?:Body|Method\s+Post|InFile)|\brequests\.get\(\s*f?["'][^"']{0,200}(?:\?|\{|%)|\bgit\s+push\s+["']?https?:|\b(?:spawn|execFile|Popen|run|call|check_output|check_call)(?:Sync)?\(\s*\[?\s*["'](?:curl|wget|nc|ncat|scp|rsync|sftp|ftp)["']|\bresolve(?:4|6|Txt|Any|Cname|Mx)\(|\.(?:post|put|patch)\(\s*[fbr]?["'`]|\.request\(\s*["'](?:POST|PUT|PATCH)["']|Net::HTTP(?:\.post|::Post)|\bHTTParty\.post|\bFaraday\.post|\bhttp\.Post(?:Form)?\(|\bcurl_exec\(|\bsuperagent\b|\bftplib\b|\.storbinary\(|createTransport\(|\.sendMail\(|\bwebsockets?\.(?:connect|create_connection)\(|HTTPS?Connection\(|\.(?:UploadString|UploadFile|UploadData|PostAsync)\(|\bStart-BitsTransfer\b|\bwget\b[^\n]{0,120}--header[= ]+["'][^"'\n]{0,60}\$/i

/** Parts of a request that authenticate the caller, to a service of that caller. */
const PROOF =
  /\bheaders\s*[=:]\s*(?:\{[^}]{0,600}\}|\w+)|["']?(?:Authorization|X-Api-Key)["']?\s*[:=]\s*[^,}\n]{1,200}|\s(?:-H|--header)[ =]?(?:"[^"]{0,300}"|'[^']{0,300}')|\s(?:-u|--user)[ =]\S+|\bauth\s*=\s*[^,)]{1,100}|\s-i\s+\S+|--(?:identity|key|cert|cacert|kubeconfig|profile|netrc-file)[ =]\S+/gi

/** Reads that give the data of a place to the program: not a test whether it exists, not a key for ssh. */
const READS =
  /\bopen\(|read_text|read_bytes|readFile|\bfor\b[^\n]{0,40}\b(?:of|in)\s*[[(]|File\.read|Dir\[|file_get_contents|createReadStream|\bcat\b|\bhead\b|\btail\b|\bcp\s|\btar\b|\bzip\b|\bbase64\b|\bxxd\b|\bcurl\b|copy(?:file|tree|2)?\(|\bfor\s+\w+\s+in\s+["']?(?:~|\$)|sqlite3|connect\(|\bglob|rglob|listdir|readdir|\bgrep\b|\bfind\s|\bsed\b|\bawk\b|<\s*["']?[~$/]|\$\(<|@["']?[~$/.]|(?:=|\(|,|^|\[)\s*["'`(]{0,2}(?:\$\{["'])?(?:~|\/home|\/Users|\/root)(?:["']\})?[/\\]|security\s|secret-tool|keyring|environ|process\.env|printenv|\benv\b|export -p|declare -x|get-content|load|\brsync\b|\bscp\b|git\s+credential|\bgist\b|\$\w+\/(?:Cookies|Login)|^\s*\w+\s*=\s*\[\s*["']\.|iterdir\(|joinpath\(/i
const USES =
  /HISTFILE|\bssh(?:-add|-keygen|-copy-id|-keyscan)?\s|\bscp\s+-i|\bsftp\s+-i|\bchmod\b|\bmkdir\b|\bgit\s+(?:add|rm|check-ignore)|\bexists(?:Sync)?\(|\bis_file\(|\btest\s+-|\[\[?\s+!?\s*-[fedrs]\s|export\s+KUBECONFIG|>>?\s*["']?(?:~|\$HOME|\.)?\/?[\w./-]*(?:\.npmrc|\.netrc|\.pypirc|\.env|config)|\bload_dotenv\(|dotenv|source\s|set -a|--env-file|gitignore|\.example|echo\s+["'][^"']{0,120}["']\s*$|print\(|console\.log\(|raise\s|throw\s/i

/** Finds data that goes from places of secrets to other machines, through the names of a file. */
export function findFlows(
  skill: SafetySource,
  statements: readonly FoldedStatement[],
): {
  flows: Flow[]
  reads: { statement: FoldedStatement; place: SensitivePlace }[]
} {
  const reads = statements.flatMap((statement) => {
    const place = statement.mayHarm ? findReadPlace(statement.text) : undefined
    return place ? [{ statement, place }] : []
  })
  const first = reads[0]
  if (!first) return { flows: [], reads }
  const sends = statements.filter(({ text, mayHarm }) => mayHarm && SENDS.test(text))
  if (sends.length === 0) return { flows: [], reads }
  // Short names repeat in a bundle of many modules, and carry nothing from one to another.
  const names =
    statements.length > MAX_STATEMENTS
      ? []
      : findCarriers(statements, new Map(reads.map(({ statement, place }) => [statement, place])))
  const fallback = classifyHosts(skill, statements.map(({ text }) => text).join('\n'))
  const flows = sends.map((statement): Flow => {
    const sent = statement.text.replace(PROOF, ' ')
    const own = reads.find((each) => each.statement === statement && findReadPlace(sent))
    const through =
      names.find(({ pattern }) => pattern.test(sent)) ?? findPassed(statements, statement, names)
    const place = own?.place ?? through?.source ?? first.place
    const isMailbox = MAILBOX.test(statement.text)
    const host = isMailbox ? 'odd' : (classifyHosts(skill, statement.text) ?? fallback)
    return {
      statement,
      place,
      host,
      isSeen: own !== undefined || through !== undefined,
    }
  })
  return { flows, reads }
}

/** Data that a function sends which gets it from a call. */
function findPassed(
  statements: readonly FoldedStatement[],
  sending: FoldedStatement,
  names: readonly Carrier<SensitivePlace>[],
): Carrier<SensitivePlace> | undefined {
  const name = names.length > 0 && findFunction(statements, statements.indexOf(sending))
  if (!name) return undefined
  const call = new RegExp(`(?<![\\w.])${name}\\(`)
  for (const { text, start } of statements) {
    const at = start === sending.start ? -1 : text.search(call)
    const passed = at === -1 ? undefined : text.slice(at + name.length)
    const found = passed && names.find(({ pattern }) => pattern.test(passed))
    if (found && !DEFINES.test(text)) return found
  }
  return undefined
}

const DEFINES = /^\s*(?:export\s+)?(?:async\s+)?(?:def|function)\s/

/** A mailbox at a known service that the skill brings along. */
const MAILBOX =
  /discord(?:app)?\.com\/api\/webhooks\/\d|api\.telegram\.org\/bot\d|hooks\.slack\.com\/services\/[TX]/

const MAX_STATEMENTS = 5000

const SECRET_PLACES: readonly SensitivePlace[] = [
  'credentials',
  'vaults',
  'history',
  'home',
  'environment',
  'dotenv',
  'agents',
  'repository',
]

/** Calls whose result is the text of a file. */
const GIVES_TEXT = /read_text\(|read_bytes\(|readFile|\bopen\([^)]{0,200}\)\.read/

/** Lists of names that a program looks out for. */
const LISTS =
  /^[^\n=:]{0,60}(?:pattern|sensitive|secure|exclu|ignore|block|deny|skip|forbidden|protect|redact|danger|suspicious|critical|secret_?(?:file|path)s)\w*["']?\s*(?::[^=\n]{1,40})?[=:]/i

function findReadPlace(text: string): SensitivePlace | undefined {
  if (LISTS.test(text)) return undefined
  if (!/[.~/\\]|environ|env|security|keyring|Login|Cookies|id_|\bgit\b/.test(text)) return undefined
  const place = SECRET_PLACES.find((each) => namesPlace(each, text))
  if (!place) return undefined
  if (place === 'environment' || place === 'home' || place === 'repository') return place
  const isUsed = USES.test(text) && !SENDS.test(text) && !GIVES_TEXT.test(text)
  return !isUsed && READS.test(text) ? place : undefined
}
