import type { Subject } from './subjects/subject.ts'

const DAY_S = 86_400
/** More than a year: triggers on a date that is ahead have passed. */
const LATER_S = 400 * DAY_S
const MAX_GUESSES = 4
const USER = 'dev'
const HOST = 'dev-laptop'

/** A way in which the environment of a trial differs. */
export interface Variant {
  name: string
  env: Readonly<Record<string, string>>
  shiftSeconds?: number
  host?: string
  user?: string
  hasTerminal?: boolean
  answersWithScripts?: boolean
  /** True if stand-ins take the place of programs and packages that the machine lacks. */
  hasPackages?: boolean
}

const PLAIN: Variant = { name: 'plain', env: {} }

/** Variants of every subject. */
const FIXED: readonly Variant[] = [
  {
    name: 'ci',
    env: {
      CI: 'true',
      CONTINUOUS_INTEGRATION: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'example/project',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_WORKSPACE: '/home/dev/project',
      RUNNER_OS: 'Linux',
      GITLAB_CI: 'true',
      JENKINS_URL: 'https://ci.internal/',
      BUILD_NUMBER: '1',
    },
  },
  { name: 'later', env: {}, shiftSeconds: LATER_S },
  { name: 'other host', env: {}, host: 'build-prod-01.corp.example', user: 'deploy' },
  { name: 'terminal', env: { TERM: 'xterm-256color' }, hasTerminal: true },
]

/** Answers every request with a program: added once a subject has fetched something. */
export const SCRIPT_ANSWERS: Variant = { name: 'script answers', env: {}, answersWithScripts: true }

/** The variant with stand-ins for missing programs and packages. */
export function withPackages(variant: Variant): Variant {
  const name = variant.name === PLAIN.name ? PACKAGES : `${variant.name}, ${PACKAGES}`
  return { ...variant, name, hasPackages: true }
}

const PACKAGES = 'packages'

/** Lists the variants of a subject, the plain one first, then those that its text suggests. */
export function listVariants({ text }: Pick<Subject, 'text'>, nowMs = Date.now()): Variant[] {
  return [
    PLAIN,
    ...guessDates(text, nowMs),
    ...guessHosts(text),
    ...guessEnvironment(text),
    ...FIXED,
  ]
}

/** Host and user of a variant. */
export function getIdentity({ host = HOST, user = USER }: Variant): { host: string; user: string } {
  return { host, user }
}

/** Dates that the text compares with, and other days of the week or hours where it asks for these. */
function guessDates(text: string, nowMs: number): Variant[] {
  const dates = [...text.matchAll(/\b(20\d\d)[-/, ]{1,2}(\d{1,2})[-/, ]{1,2}(\d{1,2})\b/g)].map(
    ([, year, month, day]) => Date.UTC(Number(year), Number(month) - 1, Number(day)),
  )
  const epochs = [...text.matchAll(/\b(1[789]\d{8}|2\d{9})(\d{3})?\b/g)].map(
    ([, s]) => Number(s) * 1000,
  )
  const ahead = [...dates, ...epochs]
    .filter((ms) => ms > nowMs)
    .map((ms) => (ms - nowMs) / 1000 + 3600)
  const days = /weekday|getU?T?C?Day\b|%[uwaA]\b|calendar/.test(text)
    ? [1, 2, 3, 4, 5, 6].map((each) => each * DAY_S)
    : []
  const hours = /\.hour\b|getHours|%H/.test(text) ? [6, 12, 18].map((each) => each * 3600) : []
  const months = /\.month\b|getMonth|%m\b/.test(text)
    ? [30, 61, 91, 122].map((each) => each * DAY_S)
    : []
  return [...new Set([...ahead.slice(0, MAX_GUESSES), ...days, ...hours, ...months])].map(
    (seconds) => ({
      name: `${formatAhead(seconds)} ahead`,
      env: {},
      shiftSeconds: Math.round(seconds),
    }),
  )
}

function formatAhead(seconds: number): string {
  const hours = Math.round(seconds / 3600)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}

/** Texts that stand near a question for the host or the user. */
function guessHosts(text: string): Variant[] {
  if (
    !/hostname|uname|getfqdn|platform\.node|whoami|getuser|userInfo|\$\{?USER|LOGNAME/i.test(text)
  )
    return []
  const lines = text.split('\n')
  const near = lines.filter((_, at) =>
    /host|node|user|uname|whoami|logname/i.test(lines.slice(Math.max(0, at - 2), at + 3).join(' ')),
  )
  const words = [
    ...near
      .join('\n')
      .matchAll(
        /["'`]\^?\*?([A-Za-z0-9][\w.-]{1,40}?)\*?\$?["'`]|=\s*([\w.-]{3,40})\*|([\w.-]{3,40})\*?\)/g,
      ),
  ]
    .map(([, quoted, compared, pattern]) => quoted ?? compared ?? pattern ?? '')
    .filter(
      (word) =>
        word !== '' && !/^(?:utf-?8|https?|__\w+__|host(?:name)?|user|USER|rb?|wb?)$/.test(word),
    )
  return [...new Set(words)].slice(0, MAX_GUESSES).map((word) => ({
    name: `host ${word}`,
    env: {},
    host: word.replace(/^[.-]/, 'a$&').replace(/[.-]$/, '$&01'),
    user: word,
  }))
}

/** Values with which variables are compared, all together. */
function guessEnvironment(text: string): Variant[] {
  const patterns = [
    /environ(?:\.get)?[[(]\s*["'](\w+)["'][^\n=!]{0,40}(?:==|\bin\b)\s*[[({]?\s*["']([^"'\n]{1,60})["']/g,
    /getenv\(\s*["'](\w+)["'][^\n=!]{0,40}(?:==|\bin\b)\s*[[({]?\s*["']([^"'\n]{1,60})["']/g,
    /process\.env(?:\.|\[["'])(\w+)(?:["']\])?\s*={2,3}\s*["'`]([^"'`\n]{1,60})["'`]/g,
    /\[\s*"?\$\{?(\w+)[^}\s"]*\}?"?\s*={1,2}\s*"?([\w./-]{1,60})"?\s*\]/g,
  ]
  const compared = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value] as const),
  )
  const asked = [...text.matchAll(/(?:environ(?:\.get)?[[(]\s*|getenv\(\s*)["'](\w+)["']/g)]
    .map(([, name = '']) => name)
    .filter((name) => !/KEY|TOKEN|SECRET|PASS|HOME|PATH|CREDENTIAL/i.test(name))
  const env = Object.fromEntries([...asked.map((name) => [name, '1'] as const), ...compared])
  return Object.keys(env).length === 0 ? [] : [{ name: 'variables of the text', env }]
}
