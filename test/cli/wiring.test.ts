import { describe, expect, it } from 'vitest'
import { Command } from 'commander'
import { addGlobalOptions, buildCommand } from '../../src/cli/build-command.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { mergeOptions } from '../../src/cli/globals.ts'

/** Parses a command line and returns the values that the command receives. */
async function received(line: string) {
  const argv = line.split(' ')
  const program = new Command('skills').enablePositionalOptions()
  const seen: { args: readonly string[]; options: Record<string, unknown> }[] = []
  addGlobalOptions(program)
  for (const entry of COMMANDS) {
    if (!argv.includes(entry.name)) continue
    const { command: definition } = await entry.load()
    buildCommand(
      program,
      { name: entry.name, definition },
      {
        onFailing: () => {},
        onStart: async (_, command) =>
          void seen.push({ args: command.args, options: mergeOptions(command) }),
      },
    )
  }
  await program.parseAsync(argv, { from: 'user' })
  return seen[0]
}

describe('a command line', () => {
  it.each([
    ['list', { args: [], options: {} }],
    ['list --namespace a --tag x --tag y', { options: { namespace: 'a', tag: ['x', 'y'] } }],
    ['--json list --long', { options: { json: true, long: true } }],
    ['list --json --kind action', { options: { json: true, kind: 'action' } }],
    ['--root a list --root b --root c', { options: { root: ['a', 'b', 'c'] } }],
    ['--config x list --config y', { options: { config: 'y' } }],
    ['list --no-config --no-color -q', { options: { config: false, color: false, quiet: true } }],
    ['describe a.b@1.0.0 --full', { args: ['a.b@1.0.0'], options: { full: true } }],
    ['read a.b SKILL.md', { args: ['a.b', 'SKILL.md'] }],
    ['new', { args: [], options: {} }],
    [
      'new a.b -y --kind instruction',
      { args: ['a.b'], options: { yes: true, kind: 'instruction' } },
    ],
    ['config run.timeout', { args: ['run.timeout'] }],
    ['doctor --fix', { options: { fix: true } }],
    ['completion zsh', { args: ['zsh'] }],
  ])('%s is parsed as intended', async (line, expected) => {
    expect(await received(line)).toMatchObject(expected)
  })
})
