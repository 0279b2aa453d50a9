import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { askPython, type Modules, type PythonAnswer } from './ask-python.ts'
import { stampFile, stampInterpreter, type Surroundings } from './stamp-interpreter.ts'

/** An answer, and the state of the interpreter that gave it. */
interface Remembered {
  question: string
  executable: string | null
  answer: PythonAnswer
}

type Asked = Surroundings & { modules?: Modules | undefined }

/** Raised when the meaning of an answer changes. */
const FORMAT = 2
const MOST_IN_MEMORY = 64
const inMemory = new Map<string, Promise<Remembered | undefined>>()

/** Asks a program once for each state of the machine: a start of Python costs more than a sandbox. */
export async function rememberPython(
  program: string,
  { cacheDir, ...asked }: Asked & { cacheDir: string | undefined },
): Promise<PythonAnswer | undefined> {
  const { question, lasting } = questionFor(program, asked)
  const path = lasting && cacheDir !== undefined ? pathOf(cacheDir, question) : undefined
  const known = (await inMemory.get(question)) ?? (path ? load(path, question) : undefined)
  if (known && stampFile(known.answer.executable) === known.executable) return known.answer
  const answering = ask(program, question, asked)
  if (inMemory.size >= MOST_IN_MEMORY) inMemory.clear()
  inMemory.set(question, answering)
  const fresh = await answering
  if (!fresh) inMemory.delete(question)
  else if (path) save(path, fresh)
  return fresh?.answer
}

function questionFor(program: string, asked: Asked): { question: string; lasting: boolean } {
  const { text, lasting } = stampInterpreter(program, asked)
  return { question: `${text}${asked.modules?.digest ?? ''}`, lasting }
}

async function ask(
  program: string,
  question: string,
  asked: Asked,
): Promise<Remembered | undefined> {
  const answer = await askPython(program, asked)
  return answer && { question, executable: stampFile(answer.executable), answer }
}

function pathOf(cacheDir: string, question: string): string {
  const name = createHash('sha256').update(question).digest('hex').slice(0, 32)
  return join(cacheDir, 'python', `${name}.json`)
}

/** What stands here decides what a sandbox mounts: nobody else may have written it. */
function load(path: string, question: string): Remembered | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = fstatSync(fd)
    const isOwn = stat.isFile() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0
    if (!isOwn) return undefined
    const held = JSON.parse(readFileSync(fd, 'utf8')) as Remembered & { format: number }
    return held.format === FORMAT && held.question === question ? held : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** A cache that cannot be written costs time, nothing else. */
function save(path: string, remembered: Remembered): void {
  const temporary = `${path}.${process.pid}-${process.hrtime.bigint().toString(36)}`
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
    const text = JSON.stringify({ format: FORMAT, ...remembered })
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, path)
  } catch {
    try {
      rmSync(temporary, { force: true })
    } catch {
      // There is no such folder at all.
    }
  }
}
