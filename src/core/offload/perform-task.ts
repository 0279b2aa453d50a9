import { once } from '../../util/once.ts'
import type { OffloadedTasks, TaskName } from './tasks.ts'

type TaskTable = {
  [Name in TaskName]: () => Promise<
    (input: OffloadedTasks[Name]['input']) => Promise<OffloadedTasks[Name]['output']>
  >
}

/** Loads the modules of a task, which takes longer than most tasks and is not part of their time. */
export const TASKS: TaskTable = {
  async document() {
    const { parseDocument } = await import('./parse-document.ts')
    const { findBodyStart } = await import('../skills/manifest/markdown-source.ts')
    await parseDocument('')
    return async ({ text }) => await parseDocument(text.slice(findBodyStart(text)))
  },
  async lint() {
    const { lintSkills } = await import('../lint/lint.ts')
    const { describeFix } = await import('../lint/fix/describe-fix.ts')
    const { readSkillSource } = await import('../skills/manifest/read-source.ts')
    return async ({ dir, config, env }) => {
      const found = await lintSkills({ skills: [dir], cwd: dir, config, env, staysInside: true })
      // Most skills have nothing to fix, and are not read a second time.
      const source = once(() => readSkillSource(dir))
      const read = (path: string) => source().read(path)
      const findings = found.findings.map((each) => ({
        ...each,
        diff: describeFix(each, { read }),
      }))
      return { ...found, findings }
    }
  },
  async tokens() {
    const { openRepository } = await import('../skills/repository/open-repository.ts')
    const { openTokenizer } = await import('../tokens/count-tokens.ts')
    const { reportTokens } = await import('../tokens/token-report.ts')
    return async ({ dir, cacheDir, encoding }) => {
      const repository = openRepository({ roots: [dir], builtin: dir, cacheDir })
      const entries = (await repository.list()).filter((entry) => entry.dir === dir)
      return await reportTokens(repository, entries, await openTokenizer(encoding))
    }
  },
  async suites() {
    const { listSuiteCases } = await import('./list-suite-cases.ts')
    return async ({ dir }) => listSuiteCases(dir)
  },
  async count() {
    const { openTokenizer } = await import('../tokens/count-tokens.ts')
    return async ({ texts, encoding }) => texts.map(await openTokenizer(encoding))
  },
}
