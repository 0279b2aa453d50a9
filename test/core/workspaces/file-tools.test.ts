// @module-tag slow
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROFILES } from '../../../src/core/methods/profiles.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createSession } from './in-workspace.ts'

async function openTools(options: Parameters<typeof createSession>[0] = {}) {
  const made = await createSession(options)
  const { runtime, call } = made
  const session = 's'
  return {
    ...made,
    write: async (path: string, content: string, overwrite?: boolean) =>
      await runtime.workspaceWrite({ session, path, content, overwrite }, call),
    replace: async (path: string, before: string, [after, all]: [string, boolean?]) =>
      await runtime.workspaceReplace(
        { session, path, old_text: before, new_text: after, all },
        call,
      ),
    list: async (params: { path?: string; pattern?: string; depth?: number } = {}) =>
      await runtime.workspaceList({ session, ...params }, call),
  }
}

describe('the file tools', () => {
  it('are in each profile whose agents have a workspace', () => {
    const tools = ['workspace_read', 'workspace_write', 'workspace_replace', 'workspace_list']
    for (const profile of ['agent'] as const) {
      expect(PROFILES[profile]).toEqual(expect.arrayContaining(tools))
    }
  })

  it('write, replace, list and read files that commands see', async () => {
    const { write, replace, list, read, shell } = await openTools()
    expect(await write('work/src/a.txt', 'one two one\n')).toEqual({
      path: 'work/src/a.txt',
      ref: 'workspace://work/src/a.txt',
      size_bytes: 12,
      created: true,
    })
    await shell('chmod 750 work/src/a.txt')
    expect(await replace('/workspace/work/src/a.txt', 'two', ['$& 2'])).toMatchObject({
      path: 'work/src/a.txt',
      replacements: 1,
    })
    expect(await replace('$WORK_DIR/src/a.txt', 'one', ['1', true])).toMatchObject({
      replacements: 2,
    })
    expect((await read('workspace://work/src/a.txt')).content).toBe('1 $& 2 1\n')
    const seen = await shell('stat -c %a work/src/a.txt; echo more >> work/src/a.txt && echo ok')
    expect(seen.output).toBe('750\nok\n')
    expect((await write('work/src/a.txt', 'x')).created).toBe(false)
    expect(await list({ path: 'work', depth: 1 })).toEqual({
      path: 'work',
      entries: [
        { path: 'work/inputs', type: 'folder' },
        { path: 'work/src', type: 'folder' },
      ],
    })
    expect((await list({ pattern: '**/*.txt' })).entries).toEqual([
      { path: 'work/src/a.txt', type: 'file', size_bytes: 1 },
    ])
    expect((await list()).entries.map(({ path }) => path)).toContain('work/src')
  })

  it('refuse text that is ambiguous or missing, and change nothing', async () => {
    const { write, replace, read } = await openTools()
    await write('out/a.txt', 'aa')
    await expect(replace('out/a.txt', 'a', ['b'])).rejects.toThrow('occurs 2 times')
    await expect(replace('out/a.txt', 'c', ['b'])).rejects.toThrow('does not occur')
    await expect(replace('out/none.txt', 'c', ['b'])).rejects.toThrow('is not in the workspace')
    await expect(write('out/a.txt', 'b', false)).rejects.toThrow('overwrite is false')
    await expect(write('out', 'b')).rejects.toThrow('a folder exists')
    expect((await read('out/a.txt')).content).toBe('aa')
  })

  it('refuse paths out of the workspace, skills, and texts that are too large', async () => {
    const { write, list, run } = await openTools()
    await run('true')
    for (const path of ['../a', 'work/../../a', '', '/', '$NOTHING/a', 'a\0b']) {
      await expect(write(path, 'x')).rejects.toThrow('path must')
    }
    await expect(write('skills/demo/SKILL.md', 'x')).rejects.toThrow('read-only')
    await expect(write('skills/other/SKILL.md', 'x')).rejects.toThrow('read-only')
    await expect(write('work/a', 'x'.repeat(4 * 1024 ** 2 + 1))).rejects.toThrow('The text has')
    await expect(list({ path: '../..' })).rejects.toThrow('path must')
    await expect(list({ path: 'nothing' })).rejects.toThrow('is not in the workspace')
  })

  it('never write through a link that a command left', async () => {
    const { write, replace, list, read, shell } = await openTools()
    const outside = createFolder()
    const secret = join(outside, 'secret.txt')
    writeFileSync(secret, 'secret')
    await shell(`ln -s ${outside} out/folder; ln -s ${secret} out/file; ln -s . out/self`)
    // A control: this process itself can write there.
    expect(existsSync(join(outside, 'control'))).toBe(false)
    writeFileSync(join(outside, 'control'), '')
    await expect(write('out/folder/new.txt', 'x')).rejects.toThrow('out of the workspace')
    await expect(replace('out/file', 'secret', ['x'])).rejects.toThrow('is not in the workspace')
    await expect(read('out/file')).rejects.toThrow('does not exist')
    await expect(list({ path: 'out/folder' })).rejects.toThrow('is not in the workspace')
    expect((await list({ path: 'out', depth: 20 })).entries).toEqual([
      { path: 'out/file', type: 'link' },
      { path: 'out/folder', type: 'link' },
      { path: 'out/self', type: 'link' },
    ])
    // The link itself is replaced, not its target.
    await write('out/file', 'x')
    expect(readFileSync(secret, 'utf8')).toBe('secret')
    expect(readdirSync(outside).sort()).toEqual(['control', 'secret.txt'])
  })

  it('stay within the size of the workspace', async () => {
    const limits = { 'run.limits.workspace': '64KiB' }
    const { write } = await openTools({ settings: limits })
    await write('out/a.txt', 'x'.repeat(30_000))
    await expect(write('out/b.txt', 'x'.repeat(60_000))).rejects.toThrow('would exceed')
  })

  it('list at most 500 entries and report the cut', async () => {
    const { list, shell } = await openTools()
    await shell('cd out && seq 600 | xargs touch')
    const listed = await list({ path: 'out' })
    expect(listed).toMatchObject({ truncated: true })
    expect(listed.entries).toHaveLength(500)
  })
})

it('an answer has a content once', async () => {
  const { run } = await createSession()
  const ran = await run('printf NEEDLE > out/a.txt', { output_files: ['out/*'] })
  expect(JSON.stringify(ran).split('NEEDLE')).toHaveLength(2)
  expect(ran.primary_output).toMatchObject({ name: 'out/a.txt', ref: 'workspace://out/a.txt' })
  const unlisted = await run('printf NEEDLE > out/a.txt')
  expect(unlisted.primary_output?.content).toBe('NEEDLE')
})
