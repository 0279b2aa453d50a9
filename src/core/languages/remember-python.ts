import { answerPath, loadAnswer, saveAnswer } from './kept-answer.ts'
import { askPython, type Modules, type PythonAnswer } from './ask-python.ts'
import type { ProgramAnswers, RememberedPython } from './program-answers.ts'
import { stampFile, stampInterpreter, type Surroundings } from './stamp-interpreter.ts'

type Asked = Surroundings & { modules?: Modules | undefined }

/** Raised when the meaning of an answer changes. */
const FORMAT = 2
const MOST_IN_MEMORY = 64

/** Asks a program once for each state of the machine: a start of Python costs more than a sandbox. */
export async function rememberPython(
  program: string,
  { answers, ...asked }: Asked & { answers: ProgramAnswers },
): Promise<PythonAnswer | undefined> {
  const { cacheDir, pythons } = answers
  const { question, lasting } = questionFor(program, asked)
  const path =
    lasting && cacheDir !== undefined ? answerPath(cacheDir, 'python', question) : undefined
  const held = pythons.get(question)
  const known = held ? await held : path && load(path, question)
  if (known && stampFile(known.answer.executable) === known.executable) {
    // The file has all modules in it: it is not read for every run.
    if (!held) keep(pythons, question, Promise.resolve(known))
    return known.answer
  }
  const answering = ask(program, question, asked)
  keep(pythons, question, answering)
  const fresh = await answering
  if (!fresh) pythons.delete(question)
  else if (path) saveAnswer(path, { format: FORMAT, ...fresh })
  return fresh?.answer
}

function keep(
  pythons: ProgramAnswers['pythons'],
  question: string,
  answering: Promise<RememberedPython | undefined>,
): void {
  if (pythons.size >= MOST_IN_MEMORY) pythons.clear()
  pythons.set(question, answering)
}

function questionFor(program: string, asked: Asked): { question: string; lasting: boolean } {
  const { text, lasting } = stampInterpreter(program, asked)
  return { question: `${text}${asked.modules?.digest ?? ''}`, lasting }
}

async function ask(
  program: string,
  question: string,
  asked: Asked,
): Promise<RememberedPython | undefined> {
  const answer = await askPython(program, asked)
  return answer && { question, executable: stampFile(answer.executable), answer }
}

/** What was kept for this very question, in this very form. */
function load(path: string, question: string): RememberedPython | undefined {
  const held = loadAnswer(path) as (RememberedPython & { format: number }) | undefined
  return held?.format === FORMAT && held.question === question ? held : undefined
}
