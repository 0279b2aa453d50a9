import { answerPath, loadAnswer, saveAnswer } from './kept-answer.ts'
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
  const path =
    lasting && cacheDir !== undefined ? answerPath(cacheDir, 'python', question) : undefined
  const held = inMemory.get(question)
  const known = held ? await held : path && load(path, question)
  if (known && stampFile(known.answer.executable) === known.executable) {
    // The file has all modules in it: it is not read for every run.
    if (!held) keep(question, Promise.resolve(known))
    return known.answer
  }
  const answering = ask(program, question, asked)
  keep(question, answering)
  const fresh = await answering
  if (!fresh) inMemory.delete(question)
  else if (path) saveAnswer(path, { format: FORMAT, ...fresh })
  return fresh?.answer
}

function keep(question: string, answering: Promise<Remembered | undefined>): void {
  if (inMemory.size >= MOST_IN_MEMORY) inMemory.clear()
  inMemory.set(question, answering)
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

/** What was kept for this very question, in this very form. */
function load(path: string, question: string): Remembered | undefined {
  const held = loadAnswer(path) as (Remembered & { format: number }) | undefined
  return held?.format === FORMAT && held.question === question ? held : undefined
}
