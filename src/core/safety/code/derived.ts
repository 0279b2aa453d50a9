import { classifyHosts } from '../hosts.ts'
import { describes } from '../prose/read-prose.ts'
import { SUBJECTS } from '../prose/subjects.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Signal } from '../signal.ts'
import { findCarriers, type FoldedStatement } from './carriers.ts'

type DerivedSignal = Pick<Signal, 'class' | 'severity' | 'message' | 'help'> & {
  statement: FoldedStatement
}

const FETCHES =
  /\brequests\.(?:get|post)\(|\burlopen\(|\burlretrieve\(|\bhttpx\.(?:get|post)\(|\bfetch\(|\baxios(?:\.get)?\(|\bcurl\s|\bwget\s|\bhttps?\.get\(|\.getresponse\(|\bcreate_connection\(|\bnet\.(?:connect|createConnection)\(|["'](?:curl|wget)["']/
const DECODES =
  /b(?:64|32|85)decode\(|\batob\(|zlib\.decompress\(|fromhex\(|unhexlify\(|Buffer\.from\([^)\n]{1,2000}["'](?:base64|hex)["']|codecs\.decode\(|base64\s+(?:-d|-D|--decode)|xxd\s+-r|bytes\(\s*\[|fromCharCode\(|chr\(\s*\w+\s*[\^-]|printf[^\n]{0,40}\\x/
const EXECUTES =
  /(?<![.\w])(?:eval|exec|execfile|compile)\s*\(|\bnew\s+(?:Async)?Function\s*\(|\.constructor\)?\s*\((?=[^\n]{0,80}["'\w])|(?<![.\w])Function\s*\(|vm\.run\w*\(|_compile\(|(?:^|[;&|]\s*)(?:eval|source|\.)\s+["']?\$|\b(?:ba|z)?sh\s+(?:-c\s+)?["']?\$|\bexecSync\(|\bexec\(|os\.system\(|\bgetoutput\(|\bgetstatusoutput\(|subprocess\.(?:run|call|Popen|check_output)\([^)\n]{0,200}shell\s*=\s*True|\b(?:spawn|Popen|run|call|check_call)\(\s*\[?\s*["'](?:\/bin\/)?(?:ba|z)?sh["']/

/** A file that is made a program, or started. */
const FILE = String.raw`["'\`]?([A-Za-z_~/.][\w./~-]*)["'\`]?`
const STARTS = new RegExp(
  String.raw`\bchmod(?:Sync)?\(\s*${FILE}\s*,[^\n]{0,60}?(?:0?o?7[0-7]{2}\b|S_IX|S_IRWXU|["'][augo]*\+x)|\bchmod\s+(?:\S*\+x|0?7[0-7]{2})\s+${FILE}|\b(?:spawn|execFile)(?:Sync)?\(\s*${FILE}\s*[,)]|\b(?:Popen|run|call|check_call|execv\w*)\(\s*\[\s*(?:str\()?${FILE}|\.startfile\(\s*${FILE}|\b([A-Za-z_]\w*)\.chmod\([^\n]{0,60}?(?:0?o?7[0-7]{2}\b|S_IX)`,
)

/** Programs that a host gives which the skill does not declare. */
function findDroppers(
  skill: SafetySource,
  statements: readonly FoldedStatement[],
  fetching: readonly FoldedStatement[],
): DerivedSignal[] {
  const starting = statements.filter(({ text, mayHarm }) => mayHarm && STARTS.test(text))
  if (starting.length === 0) return []
  const foreign = fetching.filter(({ text }) =>
    /^(?:odd|unknown|named)$/.test(classifyHosts(skill, text) ?? ''),
  )
  const names = findCarriers(statements, new Map(foreign.map((each) => [each, true])))
  return starting.slice(0, 20).flatMap((statement): DerivedSignal[] => {
    const name = STARTS.exec(statement.text)?.slice(1).find(Boolean)
    if (name === undefined || /(?:dir|directory|folder)$/i.test(name)) return []
    if (!names.some(({ pattern }) => pattern.test(name))) return []
    return [
      {
        statement,
        class: 'remote-code',
        severity: 'warning',
        message: 'The code downloads a program and starts it',
        help: 'Name the publisher and pin a version with its digest',
      },
    ]
  })
}

/** Calls that read a text as data, show it to the user, or open an address. */
const OPENS = /json|jq\b|\.exec\(|pbcopy|xclip|xsel|\|\s*clip\b|xdg-open|\bopen\b/

/** Texts that are fetched or decoded, and executed through a name. */
export function findExecutedTexts(
  skill: SafetySource,
  statements: readonly FoldedStatement[],
): DerivedSignal[] {
  const sources = new Map(
    statements.flatMap((each) => {
      if (!each.mayHarm) return []
      const kind = FETCHES.test(each.written)
        ? 'fetched'
        : DECODES.test(each.written)
          ? 'decoded'
          : undefined
      return kind ? [[each, kind] as const] : []
    }),
  )
  if (sources.size === 0) return []
  const fetching = [...sources].flatMap(([each, kind]) => (kind === 'fetched' ? [each] : []))
  return [...findDroppers(skill, statements, fetching), ...findExecuted(statements, sources)]
}

function findExecuted(
  statements: readonly FoldedStatement[],
  sources: ReadonlyMap<FoldedStatement, 'fetched' | 'decoded'>,
): DerivedSignal[] {
  const executing = statements.filter(({ text, mayHarm }) => mayHarm && EXECUTES.test(text))
  if (executing.length === 0) return []
  const carriers = findCarriers(statements, sources)
  return executing.flatMap((statement): DerivedSignal[] => {
    const { text } = statement
    const call = EXECUTES.exec(text)
    if (!call || OPENS.test(text)) return []
    const passed = readPassed(text.slice(call.index, call.index + 200))
    const carrier = carriers.find(({ pattern }) => pattern.test(passed))
    if (!carrier || sources.has(statement)) return []
    if (carrier.source === 'decoded' && passed.endsWith('}')) return []
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

/** The text that a call executes: not the operands of a program that it names. */
function readPassed(call: string): string {
  const [, program] = /^[^(]{0,60}\(\s*[fr]?["'`]([a-z][\w./-]*)\s/.exec(call) ?? []
  if (program === undefined) return call
  const isInterpreter = /^(?:sudo|nohup|(?:ba|z)?sh|python\d?|node|perl|ruby|chmod)$/.test(program)
  return isInterpreter ? call.slice(0, call.indexOf('}') + 1) : ''
}

const WRITES =
  /\bopen\(\s*(?:\w+\s*\/\s*)?(?<open>[\w.]+)[^)\n]{0,100}["'](?:w|a|wb|ab|w\+|a\+)["']|(?<text>[\w.]+)\.(?:write_text|open\(\s*["'][wa])|(?:writeFile|appendFile|copyFile)(?:Sync)?\(\s*(?<file>[\w.]+)|(?:>>|[^-=<]>|\btee(?:\s+-a)?)\s*["']?\$\{?(?<shell>\w+)|\b(?:cp|mv|ln|install)\s[^\n;|]{1,200}\s["']?\$\{?(?<copy>\w+)\}?["']?\s*(?:$|[;&|\n])|shutil\.(?:copy\w*|move)\([^,\n]{1,100},\s*(?<move>\w+)/
const TARGET =
  /^\s*(?:export\s+|local\s+|readonly\s+|const\s+|let\s+|var\s+)?([A-Za-z_]\w*)\s*=[^\n]{0,300}?(?:\.bashrc|\.bash_profile|\.zshrc|\.zprofile|\.profile|authorized_keys|\.plist|(?<agents>\b(?:CLAUDE|AGENTS|GEMINI)\.md|\.(?:claude|cursor|codex|gemini|vscode)[\w./-]{0,60}(?:settings(?:\.local)?|mcp)\.json|\.mcp\.json|\.claude\.json|claude_desktop_config\.json|\.cursorrules))["'`)]*\s*;?\s*$/
/** A loop over such files. */
const TARGETS =
  /\bfor\s+(?:const\s+|let\s+)?\(?(\w+)\s+(?:in|of)\s[^\n]{0,300}?(?:\.(?:bashrc|bash_profile|zshrc|zprofile|profile)\b|(?<agents>\b(?:CLAUDE|AGENTS|GEMINI)\.md|\.(?:claude|cursor|codex|gemini)["']?\/(?:skills|agents|commands)|\.claude\.json|\bmcp(?:_config)?\.json))/
/** A path of a folder and a name. */
const JOINED_PATH =
  /^\s*(?:const\s+|let\s+|var\s+)?([A-Za-z_]\w*)\s*=\s*(?:(?:[\w.]+\.)?join\([^\n]{1,80},\s*|[\w.()"'~]{1,60}\s*\/\s*|["'`][^"'`\n]{0,60}[{/])([A-Za-z_]\w*)\W{0,3}\s*$/
const HARMLESS =
  /export \w+=|\balias |\bPATH\b|\bsource |completion|"" >>|"# [^"]*" >>|\$\{?export|config_line/

/** Files of startup and of agents that are written through a name. */
export function findPlaceWrites(
  skill: SafetySource,
  statements: readonly FoldedStatement[],
): DerivedSignal[] {
  const targets = new Map<string, 'startup' | 'agents'>()
  const joined = new Map<string, string>()
  for (const { text } of statements) {
    const match = TARGET.exec(text) ?? TARGETS.exec(text)
    if (match?.[1]) targets.set(match[1], match.groups?.['agents'] ? 'agents' : 'startup')
    const [, path, name] = JOINED_PATH.exec(text) ?? []
    if (path && name) joined.set(path, name)
  }
  if (targets.size === 0) return []
  return statements.flatMap((statement): DerivedSignal[] => {
    const match = WRITES.exec(statement.text)
    const name = Object.values(match?.groups ?? {}).find(Boolean)
    const kind = targets.get(name ?? '') ?? targets.get(joined.get(name ?? '') ?? '')
    if (!kind || HARMLESS.test(statement.text)) return []
    return [describeWrite(skill, statement, kind)]
  })
}

function describeWrite(
  skill: SafetySource,
  statement: FoldedStatement,
  kind: 'startup' | 'agents',
): DerivedSignal {
  const isStartup = kind === 'startup'
  const isDescribed = describes(skill, isStartup ? SUBJECTS.startup : SUBJECTS.agents)
  return {
    statement,
    class: isStartup ? 'persistence' : 'agent-configuration',
    severity: isDescribed ? 'info' : 'warning',
    message: isStartup
      ? 'The code writes a file that the shell, git or a scheduler starts'
      : 'The code changes the instructions, tools or rights of agents',
    help: 'Name it in the description, and ask the user before it is written',
  }
}
