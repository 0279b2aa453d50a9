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
  parent: 'skills',
}

async function answer(typed: string): Promise<string> {
  const stdin = new PassThrough()
  const stderr = new PassThrough()
  stderr.once('data', () => setTimeout(() => stdin.write(`${typed}\r`), 50))
  stderr.resume()
  const signal = new AbortController().signal
  const context = { cwd: createFolder(), stdin, stderr, signal } as unknown as Context
  return (await promptForSkill(context, GIVEN)).description
}

describe('the prompts of skills new', () => {
  it('accept a typed description without the suggested one', async () => {
    expect(await answer('Counts words in a text.')).toBe('Counts words in a text.')
  })

  it('accept the suggested description on Enter', async () => {
    expect(await answer('')).toBe(findTemplates(GIVEN)[0]?.description)
  })
})
