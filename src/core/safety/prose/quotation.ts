import { memoize } from '../../../util/memoize.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Passage } from '../texts/passage.ts'
import { SUBJECTS } from './subjects.ts'

/** A match in a sentence. */
export interface SentenceMatch {
  /** The sentence, with line feeds as blanks. */
  sentence: string
  /** Offset of the sentence in its passage. */
  at: number
  start: number
  end: number
  isNegative: boolean
  /** True if quotation marks alone show that the words are only named. */
  countsQuotes: boolean
}

const HEADING_CUES =
  /attack|malicious|injection|red flags?|anti-?pattern|bad (?:example|practice|prompt|skill)|what not|not to do|don['’]?ts?\b|do not\b|never\b|avoid(?!ance)|threat|payload|detect|suspicious|indicator|warning sign|forbidden|prohibited|exploit|vulnerab|adversar|rationali[sz]ation|mistake|pitfall|danger|abuse|misuse|evasion|jailbreak|smell|❌|🚫|⛔|rejected|refus|test cases|fixtures?|angriff|verboten|ataques?|危险|攻击|禁止|恶意|示例.*攻击/i
const CUES =
  /\battack(?:er|ers|s|ed)?\b|\bmalicious|\binjection|\binjected|\bjailbreak|\badversar|\bphrases? (?:like|such)|\bpatterns?\b|\blook (?:out )?for\b|\bwatch (?:out )?for\b|\bflags?\b|\bdetect|\breject|\brefuse|\bred flags?|\bsuspicious|\bindicators?\b|\bsigns? of\b|\battempts?\b|\btr(?:y|ies|ying) to\b|\bpayloads?\b|\bthreats?\b|\buntrusted|\bexfiltrat|\bvulnerab|\bexploit|\bbad example|\bwrong\b|\bincorrect|\bunsafe|\bdangerous|\bharmful|\bviolat|\bnever\b|\bdo not do\b|\bcounts? as\b|\bsuch as\b|\bphishing|\bscam|\bshow how|\bsample|\bdemonstrat|\bmalware|\bcritical finding|\bsocial engineering|sätze wie|achte auf|frases como|语句|包括|类似|例如|angreifer|angriff|bösartig|verdächtig|atacante|malicios|攻击|恶意|可疑|注入|检测/i
const CONDITION =
  /\b(?:if|when|whenever|any|some|a|an|that|which|the|where|text|content)\s[^.!?]{0,60}?(?:page|document|files?|content|text|email|e-mail|message|issue|comment|website|web ?site|tool|response|input|output|readme|ticket|instructions?|prompt|skill|code|data|source|result|pdf|commit|something|someone|it)\b[^.!?]{0,50}\b(?:says?|contains?|tells?|asks?|instructs?|claims?|reads?|tries|tell(?:ing)?|asking|saying|containing|urges?|directs?|orders?|includes?)\b/i
const MODAL =
  /\b(?:attackers?|an? (?:attacker|adversary|malicious \w+|hostile \w+|compromised \w+|injected \w+)|malware|adversaries|hackers?|scammers?|malicious (?:skills?|pages?|prompts?|packages?|plugins?|code|scripts?))\s[^.!?]{0,80}\b(?:may|might|could|can|will|would|tries|try|use|uses|asks?|tells?|reads?|sends?|writes?|often|that|is|are)\b/i
const NEGATION =
  /\b(?:never|do not|don['’]?t|must not|mustn['’]t|should(?:n['’]t| not)|cannot|can['’]?not|can['’]t|won['’]t|will not|does not|doesn['’]t|is not|isn['’]t|not to|avoid(?:s|ing)?|refuse(?:s)? to|instead of|rather than|prohibited|forbidden|no|without|nor|not \w+ed\b|prevents?|blocks?|stops?|forbids?|against|nie(?:mals)?|nicht|keine?|nunca|jamais|ne)\b|不要|不得|切勿|请勿|禁止|不会|绝不|严禁|不能|无法|不可|不应|没有/i

/** True if the sentence names the behaviour, but does not ask for it. */
export function isQuotation(skill: SafetySource, passage: Passage, match: SentenceMatch): boolean {
  return isNegated(match) || isNamed(skill, passage, match)
}

/** Words that leave no doubt that something is shown as an attack. */
const ATTACK =
  /\battack|\bmalicious|\binjection|\bred flags?|\bjailbreak|\badversar|\bthreats?\b|\bexploit|\bsuspicious|\bphishing|\bscam|\bmalware|\bforbidden|\bprohibited|\banti-?patterns?|\bwhat not to|\bnever\b|(?<![a-z]s |they |you )\bdo not\b|❌|🚫|⛔|攻击|恶意|禁止/i

/**
 * True if the sentence shows a behaviour that only harms: weaker words than those of an attack, and
 * quotation marks alone, are no excuse for it.
 */
export function isShown(skill: SafetySource, passage: Passage, match: SentenceMatch): boolean {
  const { sentence, start } = match
  if (MODAL.test(sentence) || isConditionOnContent(match) || ATTACK.test(passage.headings)) {
    return true
  }
  if (ATTACK.test(passage.intro) && isListing(passage)) return true
  if (hasQuotes(passage, match) && ATTACK.test(sentence.slice(0, start))) return true
  return isInContext(skill, passage, match)
}

function isNamed(skill: SafetySource, passage: Passage, match: SentenceMatch): boolean {
  const { hiding } = passage
  const isUnseen = hiding !== undefined && hiding !== 'comment' && hiding !== 'alt text'
  if (isUnseen) return isSecuritySkill(skill) && (isAboutAttacks(passage) || isTest(passage.file))
  return (
    isNamedOnly(passage, match) ||
    isShownAsAttack(passage, match) ||
    isInContext(skill, passage, match)
  )
}

/** True for words between quotation marks, of an attacker or of foreign content. */
function isNamedOnly(passage: Passage, match: SentenceMatch): boolean {
  const { sentence, countsQuotes, start } = match
  if (MODAL.test(sentence) || isConditionOnContent(match)) return true
  if (!hasQuotes(passage, match)) return false
  const isCondition = CONDITION.test(sentence.slice(0, start + 10))
  return isCondition || isListing(passage) || (countsQuotes && passage.hiding === undefined)
}

/** True if a title, an introduction or words next to it call it an attack. */
function isShownAsAttack(passage: Passage, match: SentenceMatch): boolean {
  const { headings, intro } = passage
  if (HEADING_CUES.test(headings)) return true
  if (isListing(passage) && CUES.test(intro)) return true
  return hasQuotes(passage, match) && (hasCue(match) || CUES.test(intro))
}

/** True for lists and quotations of skills about security, and for data of tests. */
function isInContext(skill: SafetySource, passage: Passage, match: SentenceMatch): boolean {
  if (!isSecuritySkill(skill)) {
    return isTest(passage.file) && (passage.isQuote || passage.kind === 'code')
  }
  const isKnown =
    passage.isRemark === true ||
    isListing(passage) ||
    isReference(passage) ||
    passage.text.startsWith('---\n')
  return isKnown || hasCue(match) || hasQuotes(passage, match)
}

function hasCue({ sentence, start, end }: SentenceMatch): boolean {
  return CUES.test(sentence.slice(0, start)) || CUES.test(sentence.slice(end))
}

/** True if the words around a passage are about attacks. */
function isAboutAttacks({ headings, intro }: Passage): boolean {
  return HEADING_CUES.test(headings) || CUES.test(intro)
}

/** True if a passage of code or data is shown as a bad example. */
export function isBadExample(skill: SafetySource, passage: Passage): boolean {
  const { headings, intro, text, kind } = passage
  const cue =
    /\b(?:never|do not|don['’]?t|avoid|bad|wrong|malicious|attack|unsafe|dangerous|insecure|vulnerable|suspicious|payload|exploit|injection|detects?|flag|reject|block(?:ed|s)?|forbidden|anti-?pattern|harmful|red flag|scan|sample|looks? for|patterns?)\b|❌|🚫|⛔|危险|攻击|恶意|禁止|不要/i
  if (HEADING_CUES.test(headings)) return true
  if (cue.test(intro.slice(-250))) return true
  const firstLine = text.trimStart().slice(0, 200).split('\n')[0] ?? ''
  if (/^(?:#|\/\/|<!--|;|--)/.test(firstLine) && cue.test(firstLine)) return true
  return (
    kind === 'code' &&
    isSecuritySkill(skill) &&
    /\.(?:md|json|ya?ml|toml|csv|txt)$/.test(passage.file)
  )
}

const isSecuritySkill = memoize((skill: SafetySource): boolean => {
  const { description, name, frontMatter } = skill.manifest
  const title = typeof frontMatter['name'] === 'string' ? frontMatter['name'] : ''
  const lead = description === '' ? (skill.read('SKILL.md') ?? '').slice(0, 400) : ''
  return SUBJECTS.security.test(`${name} ${title} ${description} ${lead}`)
})

export { isSecuritySkill }

function isNegated({ sentence, start, end, isNegative }: SentenceMatch): boolean {
  const lead = sentence.slice(Math.max(0, start - 70), start)
  const clause = lead.slice(findClauseStart(lead))
  if (
    isNegative &&
    /\b(?:never|do not|don['’]t|must not)\b|切勿|禁止|不得/i.test(sentence.slice(start + 12, end))
  ) {
    return true
  }
  if (isNegative)
    return /\b(?:never|do not|don['’]t|must not|avoid|should not|nicht|niemals)\b|不要|切勿|禁止/i.test(
      clause,
    )
  if (NEGATION.test(clause)) return true
  // A verb before its negation: "Sende niemals", "Send no keys".
  if (NEGATION.test(sentence.slice(start, Math.min(end, start + 34)))) return true
  // German puts the negation after the object.
  return /\b(?:nie|niemals|nicht|keinesfalls)\b/i.test(sentence.slice(start, end + 12))
}

function findClauseStart(lead: string): number {
  let at = 0
  for (const { index, 0: mark } of lead.matchAll(
    /[;:!?—–，。；]|[,](?=\s(?:then|and|but|instead|just|please|send|post|read))|\s(?:but|then|instead|sondern)\s/gi,
  )) {
    at = index + mark.length
  }
  return at
}

const PAIRS: readonly RegExp[] = [
  /"(?:[^"\n]|\n(?!\s*\n)){4,400}"/g,
  /“(?:[^”\n]|\n(?!\s*\n)){4,400}”/g,
  /(?<![\w])'[^'\n]{8,400}'(?!\w)/g,
  /`[^`\n]{4,400}`/g,
  /«[^»\n]{4,400}»/g,
  /„[^“”"\n]{4,400}[“”"]/g,
  /[「『][^」』\n]{4,400}[」』]/g,
]

/** Quotation marks around a value of front matter. */
const OUTER_QUOTES = /^(\w+: )"|"(?=\n---|$)/gm

/** True if quotation marks stand around the match. */
function hasQuotes({ text }: Passage, { at, start, end }: SentenceMatch): boolean {
  const from = Math.max(0, at + start - 420)
  const raw = text.slice(from, at + end + 420)
  const around = text.startsWith('---\n')
    ? raw.replace(
        OUTER_QUOTES,
        (mark, key: string | undefined) =>
          `${key ?? ''}${' '.repeat(mark.length - (key ?? '').length)}`,
      )
    : raw
  const [first, last] = [at + start - from, at + Math.min(end, start + 60) - from]
  return PAIRS.some((pair) =>
    [...around.matchAll(pair)].some(
      (each) => each.index <= first && each.index + each[0].length >= last,
    ),
  )
}

function isConditionOnContent({ sentence, start }: SentenceMatch): boolean {
  const lead = sentence.slice(0, start)
  if (/(?:如果|若|当|遇到|任何)[^。]{0,40}(?:包含|要求|说|指示|声称|出现|类似)/.test(lead)) {
    if (/拒绝|忽略(?:它|该)|停止|报告|不要(?:执行|遵循)|视为/.test(sentence)) return true
  }
  return (
    CONDITION.test(lead) &&
    /\b(?:stop\b(?! (?:follow|obey|serv|listen|help))|refuse|report|ignore (?:it|them|that)|do not (?:follow|obey|comply)|don['’]t (?:follow|obey)|treat (?:it|them|that) as|flag|reject|tell the user|warn)\b/i.test(
      sentence,
    )
  )
}

function isListing({ text, kind, isQuote }: Passage): boolean {
  return (
    kind === 'code' ||
    isQuote ||
    /^(?: {4}|\t)|^[ \t]*(?:[-*+][ \t]|---\s*\n(?!\w)|[|>]|\d{1,3}[.)])/.test(text)
  )
}

function isReference({ file }: Passage): boolean {
  return /^(?:references?|docs|examples?|resources|assets|data|rules|patterns)\//i.test(file)
}

export function isTest(file: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|fixtures?|specs?|evals?|corpus|samples?|testdata)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$/i.test(
    file,
  )
}
