import { expect, it } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'

it.each([
  ['install --format skill-lock', '--format needs --export'],
  ['install . --dry-run', '--dry-run needs --import'],
  ['install --pending --import', '--import has no effect with --pending'],
  ['install --pending --frozen', '--frozen has no effect with --pending'],
  ['install --export --yes', '--yes has no effect with --export'],
  ['install --merge ours --trusted-root x', '--trusted-root has no effect with --merge'],
  ['install --merge ours theirs', '--merge does not take "theirs"'],
  ['install --pending one two', '--pending does not take "two"'],
  ['doctor --data --url http://127.0.0.1:9', '--url cannot be combined with --data'],
  ['doctor --data --fix', '--fix cannot be combined with --data'],
])('an option without an effect is refused: %s', async (line, message) => {
  const env = { HOME: createFolder() }
  const { code, stderr } = await runSkills(line.split(' '), { cwd: createFolder(), env })
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})
