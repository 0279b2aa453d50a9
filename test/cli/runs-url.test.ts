// @module-tag slow
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startServe } from '../helpers/served.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const MAIN = 'def main(args):\n    print("said", args)\n    return {"summary": "Done."}\n'

/** A server and a command line with the same data. */
async function openBoth() {
  const cwd = createFolder(
    prefixPaths('skills/greet', { ...createActionSkill('demo.greet'), 'code/main.py': MAIN }),
  )
  const { url } = await startServe([], { cwd })
  const run = async (line: string) => await runSkills(line.split(' '), { cwd, env: { HOME: cwd } })
  await run('exec demo.greet --arg name=Ada')
  await run('exec demo.greet --arg name=Bob')
  const ids = (await run('runs ls --ids')).stdout.trim().split('\n')
  return { run, url, ids }
}

describe('skills runs --url', () => {
  it('prints what the command line prints on the machine of the server', async () => {
    const { run, url, ids } = await openBoth()
    const [id = ''] = ids
    expect(ids).toHaveLength(2)
    for (const line of [
      'runs ls',
      'runs ls --json',
      'runs ls --ids --limit 1',
      'runs ls --text bob --since 1h --kind execute_skill --entry-point cli',
      'runs ls --status failed',
      `runs show ${id}`,
      `runs show ${id} --json`,
      `runs show ${id.slice(4, 14)}`,
      `runs logs ${id}`,
      `runs logs ${id.slice(0, 14)} --json`,
      `runs cancel ${id} --json`,
      'runs show run_0000000000000000000000ff',
    ]) {
      const [local, remote] = [await run(line), await run(`${line} --url ${url}`)]
      expect(remote.stdout, line).toBe(local.stdout)
      expect(remote.code, line).toBe(local.code)
    }
    expect((await run(`runs ls --text bob --url ${url}`)).stdout).toContain('demo.greet@0.1.0')
    expect((await run(`runs logs ${id} --url ${url}`)).stdout).toContain('said')
  })

  it('names the runs that a beginning of an id could mean', async () => {
    const { run, url } = await openBoth()
    const { code, stderr } = await run(`runs show run_ffffffffff --url ${url}`)
    expect(code).toBe(3)
    expect(stderr).toContain('Unknown run "run_ffffffffff"')
  })
})
