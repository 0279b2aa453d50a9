// @module-tag slow
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { WorkspaceListParams } from '../../../src/core/methods/workspace-list/definition.ts'
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
    list: async (params: Omit<WorkspaceListParams, 'session' | 'agent'> = {}) =>
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

  it('search in the contents of files, and list the newest ones first', async () => {
    const { list, shell, write } = await openTools()
    await write('work/a.py', 'import os\nprint("needle")\n# Needle\n')
    await write('work/b.txt', 'needle in text')
    await shell('touch -d 2001-02-03T04:05:06Z work/a.py; printf "needle\\0" > work/c.bin')
    expect(await list({ pattern: 'work/**', contains: 'NEEDLE' })).toEqual({
      path: '.',
      entries: [
        {
          path: 'work/a.py',
          type: 'file',
          size_bytes: 35,
          lines: [
            { line: 2, text: 'print("needle")' },
            { line: 3, text: '# Needle' },
          ],
        },
        {
          path: 'work/b.txt',
          type: 'file',
          size_bytes: 14,
          lines: [{ line: 1, text: 'needle in text' }],
        },
      ],
    })
    const { entries } = await list({ path: 'work', pattern: '*.*', by_time: true })
    expect(entries.at(-1)).toMatchObject({
      path: 'work/a.py',
      modified_at: '2001-02-03T04:05:06.000Z',
    })
    expect((await list({ contains: 'absent' })).entries).toEqual([])
    await expect(list({ contains: 'needle', path: 'nothing' })).rejects.toThrow('is not in the')
  })

  it('report what a search left out', async () => {
    const { list, shell } = await openTools()
    await shell(
      'seq 1 2000 > out/many.txt; (echo first; head -c 5M /dev/zero | tr "\\0" x) > work/long',
    )
    const many = await list({ contains: '1', pattern: 'out/*' })
    expect(many).toMatchObject({ truncated: true })
    expect(many.entries[0]?.lines).toHaveLength(200)
    const long = await list({ contains: 'x', pattern: 'work/*' })
    expect(long).toMatchObject({ truncated: true })
    expect(long.entries[0]?.lines?.[0]?.text).toHaveLength(500)
  })

  it('read and search a file by lines, with the reader of all output', async () => {
    const { runtime, call, shell } = await openTools({
      settings: { 'run.limits.workspace': '200MiB' },
    })
    await shell(
      'seq 1 1000 > out/numbers.txt; ln -s /etc/passwd out/link; truncate -s 100M out/huge',
    )
    const read = async (path: string, more: object) =>
      await runtime.queryOutput(
        { session: 's', artifactHandle: `workspace://${path}`, ...more },
        call,
      )
    const lineRange = { stream: 'stdout', startLine: 500, endLine: 502 }
    expect(await read('out/numbers.txt', { lineRange })).toMatchObject({
      totalLines: 1001,
      excerpts: [{ content: '500\n501\n502' }],
    })
    const found = await read('out/numbers.txt', { queryTerms: ['^77$'], regex: true })
    expect(found).toMatchObject({ matchCount: 1, excerpts: [{ lineStart: 74, lineEnd: 80 }] })
    for (const path of ['out/link', 'out/none', '../out', '']) {
      await expect(read(path, { tail: 1 })).rejects.toThrow(/does not exist|must be a handle/)
    }
    await expect(read('out/huge', { tail: 1 })).rejects.toThrow('is larger than 64 MiB')
    const other = { ...call, caller: { name: 'eve' } }
    const foreign = { session: 's', artifactHandle: 'workspace://out/numbers.txt', tail: 1 }
    await expect(runtime.queryOutput(foreign, other)).rejects.toThrow('does not exist')
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
