// @module-tag slow
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createSession } from './in-workspace.ts'

const LOG = '$WORKSPACE_DIR/work/log'
const createCommand = (word: string, more: object = {}) => ({
  cmd: 'sh',
  args: ['-c', `echo ${word} >> ${LOG}`],
  ...more,
})
const readLog = 'cat $WORK_DIR/log'

describe('the workspace configuration', () => {
  it('is applied once before the first command of any tool, files first', async () => {
    const { run, exec, shell } = await createSession({
      settings: {
        'workspace.files': [{ target: 'work/settings.json', content: '{}', mode: '0600' }],
        'workspace.commands': [
          { cmd: 'sh', args: ['-c', `cat work/settings.json >> ${LOG}`] },
          createCommand('two words'),
        ],
      },
    })
    expect((await shell('stat -c %a work/settings.json; cat work/log')).output).toBe(
      '600\n{}two words\n',
    )
    expect((await run(readLog)).stdout).toBe('{}two words\n')
    expect((await exec(readLog)).output).toBe('{}two words\n')
  })

  it('is applied again for a removed file, a missing marker, and changed inputs', async () => {
    const { shell } = await createSession({
      settings: {
        'workspace.files': [{ target: 'work/in.txt', content: 'one' }],
        'workspace.commands': [
          createCommand('marked', { marker_path: 'work/.ready' }),
          createCommand('seen', { observed_paths: ['work/log'] }),
          createCommand('read', { fingerprint_inputs: ['work/in.txt', 'work/more'] }),
        ],
      },
    })
    const runAndReadLog = async (before: string) =>
      (await shell(`${before}; sort work/log | tr '\\n' ' '; : > work/log; cat work/in.txt`)).output
    expect(await runAndReadLog('true')).toBe('marked read seen one')
    expect(await runAndReadLog('true')).toBe('one')
    await shell('rm work/.ready')
    expect(await runAndReadLog('true')).toBe('marked one')
    await shell('rm work/log')
    expect(await runAndReadLog('true')).toBe('seen one')
    await shell('echo x > work/more; rm work/in.txt')
    expect(await runAndReadLog('true')).toBe('read one')
  })

  it('is applied again if it changes, or in a new workspace', async () => {
    const { open, toolsOf, runtime, data, place } = await createSession({
      settings: { 'workspace.commands': [createCommand('a', { key: 'k', fingerprint_salt: '1' })] },
    })
    expect((await toolsOf(runtime).shell('cat work/log')).output).toBe('a\n')
    // The workspace and its prepared state outlive the process.
    const later = toolsOf(await open())
    expect((await later.shell('cat work/log')).output).toBe('a\n')
    const changed = toolsOf(
      await open({
        'workspace.commands': [createCommand('a', { key: 'k', fingerprint_salt: '2' })],
      }),
    )
    expect((await changed.shell('cat work/log')).output).toBe('a\na\n')
    const { key } = await place()
    await (await runtime.workspaces()).remove(key)
    expect(existsSync(`${data}/workspaces/${key}`)).toBe(false)
    expect((await toolsOf(runtime).shell('cat work/log')).output).toBe('a\n')
  })

  it('is an error with the output of a command that fails, unless it is optional', async () => {
    const fails = { cmd: 'sh', args: ['-c', 'echo why >&2; exit 3'] }
    const { shell, run } = await createSession({ settings: { 'workspace.commands': [fails] } })
    for (const tool of [shell, run]) {
      await expect(tool('true')).rejects.toMatchObject({
        code: 'workspace/not-prepared',
        message: 'The workspace is not ready: "sh" ended with exit code 3: why',
      })
    }
    const lenient = await createSession({
      settings: {
        'workspace.commands': [{ ...fails, optional: true }],
        'workspace.files': [{ target: 'work/x', from: 'artifact://none', optional: true }],
      },
    })
    const ran = await lenient.shell('echo on')
    expect(ran.output).toBe('on\n')
    expect(ran.warnings?.join('\n')).toMatch(/no such artifact[^]*exit code 3/)
  })

  it('can copy from the host, from skills and as links, and follows changes of host files', async () => {
    const host = createFolder({ 'a.txt': 'one' })
    const { shell } = await createSession({
      files: { 'demo/data/x.csv': 'a,b\n' },
      settings: {
        'workspace.host_roots': [host],
        'workspace.files': [
          { target: 'work/a.txt', from: `host://${host}/a.txt` },
          { target: 'work/x.csv', from: 'skill://demo/data/x.csv', mode: '0755' },
          { target: 'work/linked', from: 'skill://demo/data', link: true },
        ],
      },
    })
    const look = 'cat work/a.txt work/x.csv work/linked/x.csv; stat -c %a work/x.csv'
    expect((await shell(look)).output).toBe('onea,b\na,b\n755\n')
    writeFileSync(`${host}/a.txt`, 'changed')
    expect((await shell('cat work/a.txt')).output).toBe('changed')
  })

  it('is applied by one caller at a time', async () => {
    const { shell } = await createSession({
      settings: {
        'workspace.commands': [
          { cmd: 'sh', args: ['-c', 'mkdir work/only && sleep 0.2 && echo x >> work/log'] },
        ],
      },
    })
    const all = await Promise.all([1, 2, 3].map(async () => await shell('cat work/log')))
    expect(all.map(({ output }) => output)).toEqual(['x\n', 'x\n', 'x\n'])
  })

  it('is not subject to the command lists, which are for models', async () => {
    const { shell } = await createSession({
      settings: {
        'workspace.commands': [createCommand('x')],
        'workspace.allowed_commands': ['cat'],
      },
    })
    expect((await shell('cat work/log')).output).toBe('x\n')
    await expect(shell('sh -c true')).rejects.toMatchObject({ code: 'policy/denied' })
  })

  it.each([
    ['files', [{ target: 'work/x' }], 'either "content" or "from"'],
    ['files', [{ target: '../x', content: '' }], 'entry 1 "target" to be a path'],
    ['files', [{ target: 'skills/x', content: '' }], 'outside of skills/'],
    ['files', [{ target: 'work/x', contnet: '' }], 'did you mean "content"?'],
    ['files', [{ target: 'work/x', content: '', mode: '4755' }], 'permissions such as "0644"'],
    ['commands', [{ args: ['x'] }], 'entry 1 "cmd"'],
    ['commands', [{ cmd: 'a' }, { cmd: 'a' }], 'entry 2 another "key"'],
    ['commands', [{ cmd: 'a', timeout: 'soon' }], 'a duration'],
    ['commands', ['a'], 'entry 1 a table'],
    ['init', 'a', 'a list of tables'],
  ])('is rejected on loading if workspace.%s are %j', async (name, value, why) => {
    const request = loadConfig({
      cwd: '/',
      env: {},
      noFiles: true,
      flags: { [`workspace.${name}`]: value },
    })
    await expect(request).rejects.toThrow(why)
  })
})

describe('a new workspace', () => {
  it('is initialized once by commands and hooks before it is visible', async () => {
    const seen: string[] = []
    const { shell, runtime, toolsOf, data } = await createSession({
      settings: { 'workspace.init': [createCommand('init')] },
      hooks: [
        async ({ run, read, write, caller }) => {
          const { stdout, exitCode } = await run({ cmd: 'cat', args: ['work/log'] })
          seen.push(stdout, String(exitCode), String(caller))
          await write('work/by-hook', 'hooked\n', 0o4755)
          seen.push(String(await read('work/by-hook')), String(await read('work/none')))
        },
      ],
    })
    const all = await Promise.all(
      [1, 2].map(async () => await shell('cat work/log work/by-hook; stat -c %a work/by-hook')),
    )
    for (const { output } of all) expect(output).toBe('init\nhooked\n755\n')
    expect(seen).toEqual(['init\n', '0', 'undefined', 'hooked\n', 'undefined'])
    expect((await toolsOf(runtime).run(readLog)).stdout).toBe('init\n')
    expect(readdirSync(`${data}/workspaces/.drafts`)).toEqual([])
  })

  it('is not created if a command or hook fails', async () => {
    const listWorkspaces = (data: string) =>
      readdirSync(`${data}/workspaces`).filter((name) => name !== '.drafts' && name !== '.swept')
    const fails = await createSession({
      settings: { 'workspace.init': [{ cmd: 'sh', args: ['-c', 'echo no >&2; exit 1'] }] },
    })
    await expect(fails.shell('true')).rejects.toThrow('"sh" ended with exit code 1: no')
    expect(listWorkspaces(fails.data)).toEqual([])
    expect(readdirSync(`${fails.data}/workspaces/.drafts`)).toEqual([])
    let isBroken = true
    const hook = () => {
      if (isBroken) throw new TypeError('broken hook')
    }
    const { shell, data } = await createSession({ hooks: [hook] })
    await expect(shell('true')).rejects.toMatchObject({
      code: 'workspace/not-prepared',
      message: 'The workspace is not ready: a hook failed: broken hook',
    })
    expect(listWorkspaces(data)).toEqual([])
    isBroken = false
    expect((await shell('echo on')).output).toBe('on\n')
  })

  it('rejects hooks that are not functions', async () => {
    await expect(createSession({ hooks: [undefined as never] })).rejects.toThrow(
      'Expected workspaceHooks to be functions',
    )
  })
})
