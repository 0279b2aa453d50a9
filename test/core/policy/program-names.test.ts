import { readlinkSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listLinks, ProgramAliases } from '../../../src/core/host-programs/program-links.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createPolicyRuntime } from '../runs/policy-runtime.ts'

const TRUE = { code: 'true' }
/** The program that /bin/sh is a link to, such as dash. */
const SHELL = basename(readlinkSync('/bin/sh'))

const deny = (name: string) => `[deny]\nexecutables = ["${name}"]`

describe('a rule about a program', () => {
  it('sees the program behind a link', async () => {
    const { execute } = await createPolicyRuntime(deny(SHELL))
    const answer = await execute({ ...TRUE, executable: 'sh' })
    expect(answer).toMatchObject({
      status: 'denied',
      policyDecision: { deniedCode: 'executable-not-allowed' },
    })
    const other = await createPolicyRuntime(deny('no-such-shell'))
    expect(await other.execute({ ...TRUE, executable: 'sh' })).toMatchObject({ status: 'success' })
  })

  it('sees every link between the name and the program', () => {
    const dir = createFolder({ 'real/gcc-12': '' })
    symlinkSync('gcc-12', join(dir, 'real/gcc'))
    symlinkSync('real', join(dir, 'bin'))
    symlinkSync(join(dir, 'bin/gcc'), join(dir, 'cc'))
    expect(listLinks(join(dir, 'cc')).map((path) => path.slice(dir.length + 1))).toEqual([
      'cc',
      'bin/gcc',
      'real/gcc',
      'real/gcc-12',
    ])
  })

  it('denies a program by another name of its file, and allows it by none', async () => {
    const bin = createFolder()
    symlinkSync('/bin/bash', join(bin, 'own-shell'))
    const env = { PATH: `${bin}:${process.env['PATH']}` }
    const denied = await createPolicyRuntime(deny('own-shell'))
    const answer = await denied.execute({ ...TRUE, executable: 'bash' }, { env })
    expect(answer.policyDecision?.deniedReasons).toEqual([
      `The executable "bash" is denied by the policy, as it is the same file as "${join(bin, 'own-shell')}"`,
    ])
    expect(await denied.execute({ ...TRUE, executable: 'bash' })).toMatchObject({
      status: 'success',
    })
    const allowed = await createPolicyRuntime('[allow]\nexecutables = ["own-shell"]')
    expect(await allowed.execute({ ...TRUE, executable: 'bash' }, { env })).toMatchObject({
      status: 'denied',
    })
  })

  it('finds new names of a file after its folder changed', () => {
    const dir = createFolder({ tool: '' })
    const aliases = new ProgramAliases()
    const find = () => aliases.find(join(dir, 'tool'), [dir]).map((path) => basename(path))
    expect(find()).toEqual(['tool'])
    symlinkSync('tool', join(dir, 'other'))
    symlinkSync('loop', join(dir, 'loop'))
    expect(find().toSorted()).toEqual(['other', 'tool'])
  })
})
