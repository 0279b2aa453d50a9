import { expect, it } from 'vitest'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { startServer, zipTree } from '../roots/root-project.ts'

/** Longer than the time after which a terminal shows what a command waits for. */
const SLOW_MS = 600

it(
  'a terminal shows the source that a command waits for, and clears the line',
  { tags: ['slow'] },
  async () => {
    const zip = await zipTree(createActionSkill('demo.greet'))
    const origin = await startServer(({ url }, response) => {
      if (url === '/greet.zip') setTimeout(() => response.end(zip), SLOW_MS)
      else response.writeHead(404).end()
    })
    const source = `${origin}/greet.zip`
    const cwd = createFolder()
    for (const argv of [
      ['info', source],
      ['install', source, '--yes'],
    ]) {
      const shown = await runSkills(argv, { cwd, tty: true, columns: 100 })
      expect([shown.code, shown.code === 0 ? '' : shown.stderr]).toEqual([0, ''])
      expect(shown.stderr).toContain(`Fetching ${source}`)
      expect(shown.stderr).toMatch(/\r\u001b\[K(?!.*Fetching)/s)
      const piped = await runSkills(argv, { cwd })
      expect(piped.stderr).not.toContain('Fetching')
    }
  },
)
