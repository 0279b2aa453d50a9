// @module-tag slow
import { describe, expect, it } from 'vitest'
import type { CommandDefinition, CommandExample } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const loaded = await Promise.all(
  COMMANDS.map(async (entry) => [entry, (await entry.load()).command] as const),
)
const examples = loaded.flatMap(([, command]) => examplesOf(command))

function examplesOf(command: CommandDefinition): CommandExample[] {
  const below = Object.values(command.subcommands ?? {}).flatMap(examplesOf)
  return [...(command.examples ?? []), ...below]
}

const SUITE = '[[cases]]\nname = "english"\nexpect = [{ status = "completed" }]\n'

/** Splits a line like a shell: spaces, single and double quotes. */
function split(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'))
}

describe('help', () => {
  it.each(loaded.filter(([entry]) => !entry.hidden).map(([entry]) => [entry]))(
    'of $name has examples and the summary of the overview',
    ({ name, summary }) => {
      const command = loaded.find(([entry]) => entry.name === name)?.[1] as CommandDefinition
      expect(examplesOf(command).length).toBeGreaterThan(0)
      expect(command.summary).toBe(summary)
    },
  )

  it.each(examples.filter((each) => each.notRun === undefined).map((each) => [each.command]))(
    'example works: %s',
    async (line) => {
      const [program, ...argv] = split(line)
      expect(program).toBe('skills')
      const cwd = createFolder({
        ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
        'skills/greet/tests/english.test.toml': SUITE,
      })
      const { code, stderr } = await runSkills(argv, { cwd })
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    },
  )

  it('gives a reason for every example that is not run', () => {
    for (const { notRun } of examples) expect(notRun ?? 'run').not.toBe('')
  })
})
