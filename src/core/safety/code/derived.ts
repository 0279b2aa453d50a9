import { namesPlace } from '../places.ts'
import { describes } from '../prose/read-prose.ts'
import { SUBJECTS } from '../prose/intents.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Signal } from '../signal.ts'
import { findCarriers, type FoldedStatement } from './carriers.ts'

type DerivedSignal = Pick<Signal, 'class' | 'severity' | 'message' | 'help'> & {
  statement: FoldedStatement
}

const FETCHES =
  /\brequests\.(?:get|post)\(|\burlopen\(|\bhttpx\.(?:get|post)\(|\bfetch\(|\baxios(?:\.get)?\(|\bcurl\s|\bwget\s|\bhttps?\.get\(/
const DECODES =
  /b(?:64|32|85)decode\(|\batob\(|zlib\.decompress\(|fromhex\(|unhexlify\(|Buffer\.from\([^)\n]{1,2000}["'](?:base64|hex)["']|codecs\.decode\(|base64\s+(?:-d|-D|--decode)|xxd\s+-r|bytes\(\s*\[|fromCharCode\(/
const EXECUTES =
  /(?<![.\w])(?:eval|exec|execfile)\s*\(|\bnew\s+Function\s*\(|(?<![.\w])Function\s*\(|vm\.run\w*\(|_compile\(|(?:^|[;&|]\s*)(?:eval|source|\.)\s+["']?\$|\b(?:ba|z)?sh\s+(?:-c\s+)?["']?\$|\bexecSync\(|\bexec\(|os\.system\(|subprocess\.(?:run|call|Popen|check_output)\([^)\n]{0,200}shell\s*=\s*True|\bspawn\(\s*["'](?:ba|z)?sh["']/

/** Texts that are fetched or decoded, and executed through a name. */
export function findExecutedTexts(statements: readonly FoldedStatement[]): DerivedSignal[] {
  const sources = new Map(
    statements.flatMap((each) => {
      const kind = FETCHES.test(each.written) ? 'fetched' : DECODES.test(each.written) ? 'decoded' : undefined
      return kind ? [[each, kind] as const] : []
    }),
  )
  if (sources.size === 0) return []
  const carriers = findCarriers(statements, sources)
  return statements.flatMap((statement): DerivedSignal[] => {
    const { text } = statement
    const call = EXECUTES.exec(text)
    if (!call || /json|jq\b|\.exec\(/.test(text)) return []
    const passed = text.slice(call.index)
    const carrier = carriers.find(({ pattern }) => pattern.test(passed))
    if (!carrier || sources.has(statement)) return []
    const isFetched = carrier.source === 'fetched'
    return [
      {
        statement,
        class: isFetched ? 'remote-code' : 'obfuscated-code',
        severity: 'warning',
        message: isFetched
          ? 'The code executes a text that it fetches'
          : 'The code decodes a text and executes it',
        help: 'Write the code into the skill as it is, so that it can be read',
      },
    ]
  })
}

const WRITES =
  /\bopen\([^)\n]{0,200}["'](?:w|a|wb|ab|w\+|a\+)["']|\.write_text\(|writeFile(?:Sync)?\(|appendFile(?:Sync)?\(|>>|[^-=<]>\s*["']?\$|\btee\s|\b(?:cp|mv|ln|install)\s|shutil\.(?:copy\w*|move)\(|json\.dump\(|copyFile(?:Sync)?\(/

/** Files of startup and of agents that are written through a name. */
export function findPlaceWrites(
  skill: SafetySource,
  statements: readonly FoldedStatement[],
): DerivedSignal[] {
  const sources = new Map(
    statements.flatMap((each) => {
      const isStartup = namesPlace('startup', each.text)
      const kind = isStartup ? 'startup' : namesPlace('instructions', each.text) ? 'agents' : undefined
      return kind ? [[each, kind] as const] : []
    }),
  )
  if (sources.size === 0) return []
  const carriers = findCarriers(statements, sources)
  return statements.flatMap((statement): DerivedSignal[] => {
    if (!WRITES.test(statement.text)) return []
    const carrier = carriers.find(({ pattern }) => pattern.test(statement.text))
    if (!carrier || sources.has(statement)) return []
    const isStartup = carrier.source === 'startup'
    const isDescribed = describes(skill, isStartup ? SUBJECTS.startup : SUBJECTS.agents)
    return [
      {
        statement,
        class: isStartup ? 'persistence' : 'agent-configuration',
        severity: isDescribed ? 'info' : 'warning',
        message: isStartup
          ? 'The code writes a file that the shell, git or a scheduler starts'
          : 'The code changes the instructions, tools or rights of agents',
        help: 'Name it in the description, and ask the user before it is written',
      },
    ]
  })
}
