import { memoize } from '../../../util/memoize.ts'
import { classifyHost, classifyHosts, findHosts, type HostKind } from '../hosts.ts'
import { describes } from '../prose/read-prose.ts'
import { isSecuritySkill, isTest } from '../prose/quotation.ts'
import { NETWORK_WORDS, SUBJECTS } from '../prose/subjects.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Signal } from '../signal.ts'
import { splitStatements } from '../texts/cut-code.ts'
import type { Passage } from '../texts/passage.ts'
import { type FoldedStatement } from './carriers.ts'
import { findExecutedTexts, findPlaceWrites } from './derived.ts'
import { findFlows, SENDS, type Flow } from './flow.ts'
import { foldStatement, HELPER } from './fold-code.ts'
import { findCodesHelper, readCommand } from './fold-lists.ts'
import { EFFECT_HAZARDS } from './effect-hazards.ts'
import { HAZARDS, type Hazard } from './hazards.ts'
import { findLosses } from './losses.ts'
import { findPackageSignals } from './packages.ts'
import { findRevealedWords } from './revealed.ts'
import { isShownAsBad } from './examples.ts'
import { findTriggers } from './triggers.ts'

/** A passage without its comments. */
export interface CodePassage {
  passage: Passage
  code: string
  /** True for a file of code; false for a block of a document. */
  isFile: boolean
}

/** Signs without which no statement is looked at in full. */
const MAY_HARM =
  /curl|wget|\biwr|\birm|Invoke|eval|exec|Exec|Function|system|popen|spawn|subprocess|base64|b64|atob|fromhex|unhexlify|fromCharCode|chr\(|__import__|getattr|globals|\brm\s|rmtree|rmSync|mkfs|\bdd\s|push|DROP|drop |shred|vssadmin|setenforce|ufw|csrutil|MpPreference|\.\w+_history|history -c|HISTFILE|crontab|launchctl|LaunchAgents|hooks|rc\b|profile|autostart|CurrentVersion|schtasks|CLAUDE|AGENTS|SOUL|MEMORY|settings|mcp|\.ssh|\.aws|\.env|netrc|npmrc|pypirc|\.kube|kubeconfig|id_rsa|id_ed|gnupg|gcloud|keyring|security\s|secret-tool|Cookies|Login Data|cookies|environ|process\.env|printenv|\benv\s*\||socket|\/dev\/tcp|\bnc\s|ncat|\bdig\s|nslookup|\bpip|\bnpm|\bnpx|\buvx|autoApprove|bypassPermissions|approval_policy|\.claude|\.codex|\.openclaw|wallet|keystore|shadow|169\.254|datetime|Date\(|hostname|HOSTNAME|getuser|xattr|Fernet|requests\.|fetch\(|axios|urlopen|smtplib|scp\s|rsync|\bftp|sendBeacon|XMLHttp|https?\.request|\.connect\(|dns\.|WebSocket|mail|gist|s3\s|rclone|gsutil|\.post\(|\.put\(|encrypt|IEX|Web[Rr]equest|Download|resolve[46TACM]|\.patch\(|\.request\(|Net::|HTTP|Connection\(|ftplib|Transport\(|Upload|BitsTransfer|\/hooks\/|install"|prepare"|"command"|clipboard|pyperclip|pbcopy|xclip|Clipboard|sendTransaction|PRIVATE_KEY|net\.|for\s[^\n]{1,40}\.env|insteadOf|proxy|registry|pynput|keyboard|\btar\s|joinpath\(|reflog|-delete|-exec|stratum|xmrig|\s-o\s|docker|kubectl|\bssh\s|remote|gethostby|getaddrinfo|s_client|gh\s|--yes|dropdb|\bremove|unlink|aws|zip\s|write_bytes|HOW|read\s-|\.recv|\* \*|make_archive|walk\(|rglob|iterdir|schema|SCHEMA|DELETE|globalThis|\\[01][0-7]{2}|gist|sudoers|useradd|chpasswd|cloudflared|customize|powershell|file_get_contents|pickle|import\(|terraform|\bpsql|vm\.|source\s|\.encrypt|dup2|"~"|xxd|\brev\b|\\x[\da-f$]|require\(|_TOKEN|chmod|write_bytes|find\s|ImapMail|thunderbird|credential/

/** Things that code does. */
export function readCode(skill: SafetySource, { passage, code, isFile }: CodePassage): Signal[] {
  if (!MAY_HARM.test(code)) return []
  const isExample = !isFile && isShownAsBad(skill, passage)
  if (isExample && passage.hiding === undefined) return []
  const statements = foldStatements(code)
  const context: CodeContext = { skill, passage, code, isFile }
  return [
    ...statements.flatMap((statement) => findHazards(context, statement, SINGLE)),
    ...findHazards(context, { text: code, written: code, start: 0, mayHarm: true }, SPREAD),
    ...findExecutedTexts(skill, statements).map((each) => createSignal(context, each)),
    ...findRevealedWords(code, statements).map((each) => createSignal(context, each)),
    ...findLosses(skill, statements).map((each) => createSignal(context, each)),
    ...findPlaceWrites(skill, statements).map((each) => createSignal(context, each)),
    ...listFlowSignals(context, statements),
    ...findTriggers(statements).map((each) => createSignal(context, each)),
    ...findPackageSignals(statements).map((each) => createSignal(context, each)),
  ]
}

interface CodeContext extends CodePassage {
  skill: SafetySource
}

const CONSTANT =
  /(?:^|;)\s*(?:export\s+|local\s+|readonly\s+|const\s+|let\s+|var\s+)?([A-Za-z_]\w*)\s*(?::\s*\w+\s*)?=\s*(?:[rbu]?"([^"\n]{1,300})"|[rbu]?'([^'\n]{1,300})'|([\w~/.:@+=-]{2,200}))\s*(?=;|#|$)/g

const LIST =
  /^\s*(?:const\s+|let\s+|var\s+)?([A-Za-z_]\w*)\s*=\s*[[(]\s*((?:["'\d]|(?<=[^=]=\()\w)[^\][()]{1,4000})[\])]\s*;?\s*$/

export function foldStatements(code: string): FoldedStatement[] {
  const constants = new Map<string, string>()
  return splitStatements(code).map(({ text, start }) => {
    const command = readCommand(text)
    const folded = foldStatement(command ? `${text}\n${command}` : text, constants)
    if (constants.size < MAX_CONSTANTS) addConstants(constants, folded)
    const mayHarm = MAY_HARM.test(folded) || (folded !== text && MAY_HARM.test(text))
    return { text: folded, written: text, start, mayHarm }
  })
}

const MAX_CONSTANTS = 300

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

type SignalParts = Pick<Signal, 'class' | 'severity' | 'message' | 'help'> &
  Partial<Signal> & { statement: FoldedStatement }

/** A signal at the first line of a statement. */
export function createSignal(
  { skill, passage, code }: CodeContext,
  { statement, ...parts }: SignalParts,
): Signal {
  const lead = /^\s*/.exec(code.slice(statement.start, statement.start + 200))?.[0].length ?? 0
  const start = statement.start + lead
  const newline = code.indexOf('\n', start)
  const end = Math.min(newline === -1 ? code.length : newline, start + 300)
  const isQuoted = isTest(passage.file) && isSecuritySkill(skill)
  return {
    certainty: 'certain',
    file: passage.file,
    ...passage.toSpan(start, Math.max(end, start + 1)),
    hiding: passage.hiding,
    isCode: true,
    ...parts,
    ...(isQuoted && { severity: 'info' as const, isFixed: true }),
  }
}

const ALL_HAZARDS = [...HAZARDS, ...EFFECT_HAZARDS]
const SINGLE = ALL_HAZARDS.filter(({ isSpread }) => isSpread !== true)
const SPREAD = ALL_HAZARDS.filter(({ isSpread }) => isSpread === true)

// eslint-disable-next-line max-params -- the place, the statement and what is looked for
function findHazards(
  context: CodeContext,
  statement: FoldedStatement,
  hazards: readonly Hazard[],
): Signal[] {
  if (!statement.mayHarm) return []
  return hazards.flatMap((hazard) => {
    const found = findHazard(hazard, statement)
    const severity = found && rateHazard(context, hazard, found.text)
    if (!found || !severity) return []
    const { class: name, message, help } = hazard
    const start = statement.start + (hazard.isSpread ? found.index : 0)
    return [
      createSignal(context, {
        statement: { ...statement, start },
        class: name,
        severity,
        message,
        help,
        certainty: context.isFile ? 'certain' : 'likely',
      }),
    ]
  })
}

/** A hazard in a statement, as it is written or as it is put together. */
function findHazard(hazard: Hazard, { text, written }: FoldedStatement) {
  for (const each of text === written ? [text] : [written, text]) {
    if (hazard.hint?.test(each) === false) continue
    const match = hazard.pattern.exec(each)
    if (!match || hazard.unless?.test(each) === true || isShown(each, match.index)) continue
    return {
      text: hazard.isSpread || hazard.isExact ? match[0] : each,
      index: match.index,
    }
  }
  return undefined
}

function rateHazard(context: CodeContext, hazard: Hazard, text: string) {
  if (hazard.byHost) return rateFetch(context, text, hazard.byHost)
  const isDescribed = hazard.describedBy ? describes(context.skill, hazard.describedBy) : false
  const isAdvice = hazard.isUsualAdvice && !context.isFile && !STARTS_UNKNOWN.test(text)
  return isDescribed || isAdvice ? 'info' : hazard.severity
}

/** Programs that are not installed, or that come from the network. */
const STARTS_UNKNOWN =
  /curl|wget|nohup|\/tmp\/|\.cache\/|base64|while\s|auditd|falcon|HISTFILE|setenforce|ufw\s+disable|authorized_keys|hooksPath|--mirror|--force|reflog/

/** True if the text around a match prints it, or searches for it. */
function isShown(text: string, at: number): boolean {
  const lead = text.slice(Math.max(0, at - 160), at)
  if (
    /^[^\n=]{0,60}(?:PATTERN|REGEX|RULE|INDICATOR|SIGNATURE|DANGER|SUSPICIOUS|IOC)\w*\s*=/i.test(
      text,
    )
  )
    return true
  const isSilent = /\d?>\s*\/dev\/null|&\)/.test(text.slice(at, at + 300))
  const isPrinted =
    !isSilent &&
    /(?:\becho|\bprintf?|console\.\w+\(|print\(|log(?:ger)?\.\w+\()[^\n]{0,140}$/i.test(lead) &&
    !/>>|[^-=<]>\s*["']?[~$/.\w]|\|\s*(?:crontab|(?:sudo\s+)?(?:ba|z)?sh\b|base64|tee|python)/.test(
      text.slice(at - 10 < 0 ? 0 : at - 10),
    )
  return (
    isPrinted ||
    /(?:\bgrep\b|\brg\b|re\.(?:compile|search|match|findall)\(|RegExp\(|pattern|description|message|\bhelp\b|hint|warn(?:ing)?|usage)[^\n]{0,120}$/i.test(
      lead,
    )
  )
}

/** Installing from a well-known publisher is how programs are installed. */
// eslint-disable-next-line max-params -- the place, the text and how strict to be
function rateFetch(context: CodeContext, text: string, mode: 'loose' | 'strict') {
  const { skill, passage } = context
  const host = classifyHosts(skill, text)
  if (host === 'odd' || (passage.hiding && !/^(?:own|known)$/.test(host ?? ''))) return 'error'
  const isForeign = host === 'unknown' || (host === 'named' && mode === 'strict')
  if (/\bhttp:\/\/(?!localhost|127\.)/.test(text)) {
    if (isForeign) return 'error'
    if (host === 'named') return 'warning'
  }
  const isComputed = host === undefined && isComputedAddress(context, text)
  return isForeign || isComputed ? 'warning' : 'info'
}

function isComputedAddress({ isFile }: CodeContext, text: string): boolean {
  return isFile && /\$\{?[A-Za-z_]|\(\w+\)/.test(text)
}

function listFlowSignals(context: CodeContext, statements: readonly FoldedStatement[]): Signal[] {
  const { skill } = context
  const { flows, reads } = findFlows(skill, statements)
  const sent = flows.flatMap((flow) => {
    const severity = rateFlow(context, flow)
    return severity ? [createFlowSignal(context, flow, severity)] : []
  })
  const foreign = statements.filter(
    ({ text, mayHarm }) => mayHarm && SENDS.test(text) && isForeignHost(classifyHosts(skill, text)),
  )
  return [
    ...sent,
    ...(context.isFile
      ? []
      : foreign.map((statement) => createHalfSignal(context, statement, 'send'))),
    ...(context.isFile ? foreign.flatMap((each) => findUndeclared(context, each)) : []),
    ...reads.flatMap(({ statement, place }) => [
      ...(context.isFile || !isStrong(place)
        ? []
        : [createHalfSignal(context, statement, 'secret')]),
      ...(sent.length > 0 ? [] : rateRead(context, statement, place)),
    ]),
  ]
}

const HAS_BODY =
  /post|put\b|patch|\bdata\b|body|\s-d|-F\b|-T\b|sendall|sendto|upload|json=|beacon|[?&]\w+=[{$"'%]|\$\(|\bnc\b/i

/** Data that goes to a host of which no document says anything. */
function findUndeclared(context: CodeContext, statement: FoldedStatement): Signal[] {
  const { skill } = context
  const host = findHosts(statement.text).find((each) =>
    /^(?:odd|unknown|named)$/.test(classifyHost(skill, each)),
  )
  if (host === undefined || !HAS_BODY.test(statement.text)) return []
  const documents = readDocuments(skill)
  if (documents.includes(host)) return []
  const isExpected =
    NETWORK_WORDS.test(skill.manifest.description) || /\bapi\b|api[_ -]?key/.test(documents)
  const isOdd = classifyHost(skill, host) === 'odd'
  return [
    createSignal(context, {
      statement,
      class: 'undeclared-behaviour',
      severity: isExpected && !isOdd ? 'info' : 'warning',
      certainty: 'likely',
      message: `The code sends data to "${host}", of which no document says anything`,
      help: 'Name the host and the data in SKILL.md, or ask the author',
    }),
  ]
}

/** All documents of a skill as one text. */
const readDocuments = memoize((skill: SafetySource): string =>
  skill.files
    .filter(({ path, type }) => type === 'file' && /\.(?:md|toml)$|README/i.test(path))
    .slice(0, 50)
    .map(({ path }) => skill.read(path) ?? '')
    .join('\n')
    .toLowerCase(),
)

function createHalfSignal(
  context: CodeContext,
  statement: FoldedStatement,
  half: 'secret' | 'send',
): Signal {
  const parts = {
    class: 'data-upload',
    severity: 'info',
    message: '',
    help: '',
  } as const
  const isDescribed = describes(context.skill, SUBJECTS.keys)
  return createSignal(context, { statement, ...parts, half, isDescribed })
}

const NAMES: Readonly<Record<string, string>> = {
  credentials: 'private keys or tokens',
  vaults: 'cookies or passwords of the browser or the keychain',
  history: 'the history of commands',
  environment: 'all environment variables',
  dotenv: 'the secrets of the project (.env)',
  agents: 'the data of agents',
  home: 'the home folder',
}

function createFlowSignal(context: CodeContext, flow: Flow, severity: 'error' | 'warning'): Signal {
  const hosts = findHosts(flow.statement.text)
  const target = hosts[0] ? `to ${hosts[0]}` : 'to another machine'
  const what = NAMES[flow.place] ?? flow.place
  return createSignal(context, {
    statement: flow.statement,
    class: 'data-upload',
    severity,
    certainty: flow.isSeen ? 'certain' : 'unclear',
    message: flow.isSeen
      ? `The code sends ${what} ${target}`
      : `The code reads ${what}, and sends data ${target}`,
    help: 'Ask the author why the skill needs them, and whose host it is',
  })
}

/** Signs that a program takes one value out of a file of settings. */
const PICKS_VALUE =
  /split\(\s*["']=|\bgrep\b|json\.loads?\(|JSON\.parse|dotenv|\.get\(["']|\bcut -d|configparser|\bjq\b|os\.environ\[|\bsource\s|startsWith\(|startswith\(|\.match\(|re\.(?:search|match)/

function isStrong(place: string): boolean {
  return place !== 'dotenv' && place !== 'agents'
}

function rateFlow(context: CodeContext, flow: Flow): 'error' | 'warning' | undefined {
  const { place, host, isSeen } = flow
  if (!isStrong(place) && host !== 'odd' && PICKS_VALUE.test(context.code)) return undefined
  const subject = place === 'agents' ? SUBJECTS.agents : SUBJECTS.keys
  const isDescribed = describes(context.skill, subject)
  if (isSeen) return rateSeenFlow(context, flow, isDescribed)
  const isRead = /^(?:vaults|credentials|history|home)$/.test(place)
  return isRead && isForeignHost(host) && !isDescribed ? 'warning' : undefined
}

// eslint-disable-next-line max-params -- the place, the flow and whether it is described
function rateSeenFlow(
  { isFile }: CodeContext,
  { place, host }: Flow,
  isDescribed: boolean,
): 'error' | 'warning' | undefined {
  if (host === undefined) return isFile && isStrong(place) && !isDescribed ? 'warning' : undefined
  if (!isForeignHost(host)) return undefined
  const mayBeMeant = isDescribed && host !== 'odd'
  return mayBeMeant && (place === 'credentials' || !isStrong(place)) ? 'warning' : 'error'
}

function isForeignHost(host: HostKind | undefined): boolean {
  return host === 'odd' || host === 'unknown' || host === 'named'
}

function rateRead(
  context: CodeContext,
  statement: FoldedStatement,
  place: keyof typeof NAMES,
): Signal[] {
  const { skill, isFile } = context
  if (!isFile || !/^(?:credentials|vaults|history)$/.test(place)) return []
  const isDescribed = describes(skill, SUBJECTS.keys)
  const severity = isDescribed ? 'info' : 'warning'
  return [
    createSignal(context, {
      statement,
      class: 'credential-access',
      severity,
      isDescribed,
      certainty: 'likely',
      message: `The code reads ${NAMES[place] ?? place}`,
      help: 'Ask the author which task needs it, and name it in the description',
    }),
  ]
}
