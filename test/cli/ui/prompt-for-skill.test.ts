import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../../src/cli/context.ts'
import { promptForSkill } from '../../../src/cli/ui/prompt-for-skill.ts'
import { findTemplates } from '../../../src/core/skills/scaffold/resolve-scaffold-input.ts'
import { createFolder } from '../../helpers/skills.ts'

const GIVEN = {
  name: 'demo.greet',
  kind: undefined,
  language: undefined,
  template: 'python',
  description: undefined,
  outline: undefined,
  parent: 'skills',
  formatCommand: () => 'skills new demo.greet',
}

/** Starts the prompts; each line is typed at one of them. */
function startPrompts(lines: readonly string[]) {
  const stdin = new PassThrough()
  const stderr = new PassThrough()
  const pending = [...lines]
  stderr.on('data', (chunk: Buffer) => {
    // A new prompt begins with its title, after the previous one has ended.
    if (!String(chunk).includes('◆')) return
    setTimeout(() => stdin.write(`${pending.shift() ?? ''}\r`), 50)
  })
  const signal = new AbortController().signal
  const context = { cwd: createFolder(), stdin, stderr, signal } as unknown as Context
  return { answers: promptForSkill(context, GIVEN), stdin, stderr }
}

async function answer(...lines: string[]) {
  return await startPrompts(lines).answers
}

describe('the prompts of skills new', () => {
  it('accept a typed description without the suggested one', async () => {
    expect(await answer('Counts words in a text.')).toMatchObject({
      description: 'Counts words in a text.',
    })
  })

  it('accept the suggested values on Enter', async () => {
    const [template] = findTemplates(GIVEN)
    expect(await answer()).toMatchObject({
      description: template?.description,
      outline: undefined,
    })
  })

  it('take inputs, hosts, secrets and results', async () => {
    const inputs = ['city:string=Name of the city', 'days?:integer', '']
    const { outline } = await answer('', ...inputs, 'https://a.example', 'A_KEY B_KEY', 'rate', '')
    expect(outline).toMatchObject({
      inputs: [
        { name: 'city', description: 'Name of the city', required: true },
        { name: 'days', type: 'integer', required: false },
      ],
      network: ['https://a.example'],
      secrets: ['A_KEY', 'B_KEY'],
      results: [{ name: 'rate', type: 'string' }],
    })
  })

  it.each([
    ['Ctrl-D', (stdin: PassThrough) => stdin.write('\u0004')],
    ['the end of the input', (stdin: PassThrough) => stdin.end()],
  ])('are cancelled by %s', async (_title, end) => {
    const { answers, stdin, stderr } = startPrompts([])
    stderr.removeAllListeners('data')
    stderr.once('data', () => setTimeout(() => end(stdin), 50))
    await expect(answers).rejects.toMatchObject({
      code: 'run/cancelled',
      message: 'Cancelled; nothing was written',
    })
  })
})
