import { getAnswerPath, loadAnswer, saveAnswer } from './cached-answer.ts'
import { queryPython, type ModulesToCompile, type PythonAnswer } from './query-python.ts'
import type { ProgramAnswers, CachedPython } from './program-answers.ts'
import { stampFile, stampInterpreter, type LookupContext } from './stamp-interpreter.ts'

type PythonQuery = LookupContext & { modules?: ModulesToCompile | undefined }

/** Increase when the meaning of a cached answer changes. */
const FORMAT = 3
const MAX_IN_MEMORY = 64

/**
 * Queries a Python once for each state of the machine, because starting Python costs more than
 * starting a sandbox.
 */
export async function queryPythonCached(
  program: string,
  { answers, ...query }: PythonQuery & { answers: ProgramAnswers },
): Promise<PythonAnswer | { words: string }> {
  const { cacheDir, pythons } = answers
  const { question: cacheKey, isPersistent } = buildQuestion(program, query)
  const path =
    isPersistent && cacheDir !== undefined ? getAnswerPath(cacheDir, 'python', cacheKey) : undefined
  const pending = pythons.get(cacheKey)
  const cached = pending ? await pending : path && loadCachedPython(path, cacheKey)
  if (cached && 'answer' in cached && stampFile(cached.answer.executable) === cached.executable) {
    // The cache file contains all compiled modules, so it is not read for every run.
    if (!pending) cacheAnswer(pythons, cacheKey, Promise.resolve(cached))
    return cached.answer
  }
  const pendingAnswer = queryAndStamp(program, cacheKey, query)
  cacheAnswer(pythons, cacheKey, pendingAnswer)
  const fresh = await pendingAnswer
  if ('words' in fresh) {
    pythons.delete(cacheKey)
    return fresh
  }
  if (path) saveAnswer(path, { format: FORMAT, ...fresh })
  return fresh.answer
}

function cacheAnswer(
  pythons: ProgramAnswers['pythons'],
  cacheKey: string,
  pendingAnswer: Promise<CachedPython | { words: string }>,
): void {
  if (pythons.size >= MAX_IN_MEMORY) pythons.clear()
  pythons.set(cacheKey, pendingAnswer)
}

function buildQuestion(
  program: string,
  query: PythonQuery,
): { question: string; isPersistent: boolean } {
  const { text, isPersistent } = stampInterpreter(program, query)
  return { question: `${text}${query.modules?.digest ?? ''}`, isPersistent }
}

async function queryAndStamp(
  program: string,
  cacheKey: string,
  query: PythonQuery,
): Promise<CachedPython | { words: string }> {
  const answer = await queryPython(program, query)
  if ('words' in answer) return answer
  return { question: cacheKey, executable: stampFile(answer.executable), answer }
}

/** Loads the cached answer if it is for the same question and in the same format. */
function loadCachedPython(path: string, cacheKey: string): CachedPython | undefined {
  const stored = loadAnswer(path) as (CachedPython & { format: number }) | undefined
  return stored?.format === FORMAT && stored.question === cacheKey ? stored : undefined
}
