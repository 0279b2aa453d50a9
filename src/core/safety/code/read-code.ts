import { classifyHost, classifyHosts, findHosts } from '../hosts.ts'
import { describes } from '../prose/read-prose.ts'
import { isSecuritySkill, isTest, isBadExample } from '../prose/quotation.ts'
import { SUBJECTS } from '../prose/subjects.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Signal } from '../signal.ts'
import type { Passage } from '../texts/passage.ts'
import type { FoldedStatement } from './carriers.ts'
import { isPublisher, isServiceOfSkill, needsOtherHosts, readDocuments } from './documents.ts'
import { findExecutedTexts, findPlaceWrites } from './derived.ts'
import { findFlows, SENDS, type Flow } from './flow.ts'
import { foldStatements, MAY_HARM } from './fold-statements.ts'
import { EFFECT_HAZARDS } from './effect-hazards.ts'
import { HAZARDS, type Hazard } from './hazards.ts'
import { findLosses } from './losses.ts'
import { findPackageSignals } from './packages.ts'
import { findRevealedWords } from './revealed.ts'
import { isForeignHost, isStrong, rateFlow } from './rate-flow.ts'
import { isShown } from './shown.ts'
import { findTriggers } from './triggers.ts'
import { memoize } from '../../../util/memoize.ts'

/** A passage without its comments. */
export interface CodePassage {
  passage: Passage
  code: string
  /** True for a file of code; false for a block of a document. */
  isFile: boolean
}

/** Things that code does. */
export function readCode(skill: SafetySource, { passage, code, isFile }: CodePassage): Signal[] {
  if (!MAY_HARM.test(code)) return []
  const isExample = !isFile && isShownAsBad(skill, passage)
  const isTaught = passage.hiding === 'encoded' && isSecuritySkill(skill)
  if (isExample && (passage.hiding === undefined || isTaught)) return []
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
  const isInTest = isTest(passage.file) || code.lastIndexOf('#[cfg(test)]', start) >= 0
  const isQuoted = isInTest && isSecuritySkill(skill)
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
    const [found] = match
    if (ELIDED.test(each.slice(match.index, match.index + found.length + 6))) continue
    return {
      text: hazard.isSpread || hazard.isExact ? found : each,
      // The last line of what several statements make is the effect.
      index: match.index + found.trimEnd().lastIndexOf('\n') + 1,
    }
  }
  return undefined
}

/** The sample of a call, without what it is called with. */
const ELIDED = /\(\s*(?:\.\.\.|…)\s*\)/

function rateHazard(context: CodeContext, hazard: Hazard, text: string) {
  if (hazard.byHost) return rateFetch(context, text, hazard.byHost)
  const isDescribed = hazard.describedBy ? describes(context.skill, hazard.describedBy) : false
  const isAdvice = hazard.isUsualAdvice && !context.isFile && !STARTS_UNKNOWN.test(text)
  return isDescribed || isAdvice ? 'info' : hazard.severity
}

/** Programs that are not installed, or that come from the network. */
const STARTS_UNKNOWN =
  /curl|wget|nohup|\/tmp\/|\.cache\/|base64|while\s|auditd|falcon|HISTFILE|setenforce|ufw\s+disable|authorized_keys|hooksPath|--mirror|--force|reflog/

/** Words before a block that the user decides about. */
const CONSENT = /\bconsent\b|\bask (?:the user|them|first)\b|\bconfirm/i

/** Installing from a well-known publisher is how programs are installed. */
// eslint-disable-next-line max-params -- the place, the text and how strict to be
function rateFetch(context: CodeContext, text: string, mode: 'loose' | 'strict') {
  const { skill, passage } = context
  const host = classifyHosts(skill, text)
  if (host === 'odd' || isHiddenFetch(passage, host)) return 'error'
  if (host === undefined) return isComputedAddress(context, text) ? 'warning' : 'info'
  return host === 'unknown' || host === 'named' ? rateForeign(context, text, mode) : 'info'
}

// eslint-disable-next-line max-params -- the place, the text and how strict to be
function rateForeign({ skill, passage }: CodeContext, text: string, mode: 'loose' | 'strict') {
  const host = classifyHosts(skill, text)
  const isPlain = /\bhttp:\/\/(?!localhost|127\.)/.test(text)
  if (isPlain) return host === 'unknown' ? 'error' : 'warning'
  if (CONSENT.test(passage.intro)) return 'info'
  const isPublished = mode === 'loose' && (host === 'named' || isPublisher(skill, text))
  return isPublished ? 'info' : 'warning'
}

function isHiddenFetch({ hiding }: Passage, host = ''): boolean {
  return hiding !== undefined && host !== 'own' && host !== 'known'
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
      : foreign.flatMap((statement) =>
          isServiceOfSkill(skill, statement.text)
            ? []
            : [createHalfSignal(context, statement, 'send')],
        )),
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
  const isExpected = needsOtherHosts(skill) || /\bapi\b|api[_ -]?key/.test(documents)
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
  repository: 'the history of the project',
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

/** Words that call a block bad in a skill about attacks, and say what the skill does in others. */
const WEAK_CUES =
  /\b(?:detects?|reject|block(?:ed|s)?|scan|sample|looks? for|patterns?|payload|suspicious|vulnerable|(?:wrong|bad)(?!\s*(?:[:(.—-]|$|way|examples?)))\b/gi
const STRONG_CUES = /\bred flags?\b|\bwarning signs?\b/i
/** Subjects of skills that show attacks: many others detect, scan or audit something. */
const ATTACKS =
  /secur|vulnerab|injection|malware|threat|pentest|penetration|phishing|attack|exploit|jailbreak|red.?team|forensic|malicious|hardening|secret.?scan|安全|攻击|恶意/i

/** True for a block of a document that shows what is bad, and is not to be run. */
function isShownAsBad(skill: SafetySource, passage: Passage): boolean {
  const { headings, intro } = passage
  if (STRONG_CUES.test(`${headings} ${intro.slice(-250)}`)) return true
  if (!isBadExample(skill, passage)) return false
  if (isSecuritySkill(skill) && (passage.isQuote || isAboutAttacks(skill))) return true
  return isBadExample(withoutSubject(skill), {
    ...passage,
    intro: intro.replace(WEAK_CUES, ' '),
  })
}

function isAboutAttacks({ manifest }: SafetySource): boolean {
  return ATTACKS.test(`${manifest.name} ${manifest.description}`)
}

const withoutSubject = memoize((skill: SafetySource): SafetySource => ({
  ...skill,
  manifest: { ...skill.manifest, name: '', description: '', frontMatter: {} },
}))
