import { getAnswerPath, loadAnswer, saveAnswer } from './cached-answer.ts'
import { queryPython, type ModulesToCompile, type PythonAnswer } from './query-python.ts'
import type { ProgramAnswers, CachedPython } from './program-answers.ts'
import { stampFile, stampInterpreter, type LookupContext } from './stamp-interpreter.ts'

type PythonQuery = LookupContext & { modules?: ModulesToCompile | undefined }

/** Raised when the meaning of an answer changes. */
const FORMAT = 2
const MAX_IN_MEMORY = 64

/** Asks a program once for each state of the machine: a start of Python costs more than a sandbox. */
export async function queryPythonCached(
  program: string,
  { answers, ...asked }: PythonQuery & { answers: ProgramAnswers },
): Promise<PythonAnswer | undefined> {
  const { cacheDir, pythons } = answers
  const { question, lasting } = buildQuestion(program, asked)
  const path =
    lasting && cacheDir !== undefined ? getAnswerPath(cacheDir, 'python', question) : undefined
  const held = pythons.get(question)
  const known = held ? await held : path && loadCachedPython(path, question)
  if (known && stampFile(known.answer.executable) === known.executable) {
    // The file has all modules in it: it is not read for every run.
    if (!held) cacheAnswer(pythons, question, Promise.resolve(known))
    return known.answer
  }
  const answering = queryAndStamp(program, question, asked)
  cacheAnswer(pythons, question, answering)
  const fresh = await answering
  if (!fresh) pythons.delete(question)
  else if (path) saveAnswer(path, { format: FORMAT, ...fresh })
  return fresh?.answer
}

function cacheAnswer(
  pythons: ProgramAnswers['pythons'],
  question: string,
  answering: Promise<CachedPython | undefined>,
): void {
  if (pythons.size >= MAX_IN_MEMORY) pythons.clear()
  pythons.set(question, answering)
}

function buildQuestion(
  program: string,
  asked: PythonQuery,
): { question: string; lasting: boolean } {
  const { text, isPersistent: lasting } = stampInterpreter(program, asked)
  return { question: `${text}${asked.modules?.digest ?? ''}`, lasting }
}

async function queryAndStamp(
  program: string,
  question: string,
  asked: PythonQuery,
): Promise<CachedPython | undefined> {
  const answer = await queryPython(program, asked)
  return answer && { question, executable: stampFile(answer.executable), answer }
}

/** What was kept for this very question, in this very form. */
function loadCachedPython(path: string, question: string): CachedPython | undefined {
  const held = loadAnswer(path) as (CachedPython & { format: number }) | undefined
  return held?.format === FORMAT && held.question === question ? held : undefined
}
