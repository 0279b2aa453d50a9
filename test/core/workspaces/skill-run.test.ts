// @module-tag slow
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderGuidance } from '../../../src/core/skill-context/prompt/guidance.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createRuntimeIn } from '../runs/run-python.ts'
import { createSession } from './in-workspace.ts'

describe("a skill's command", () => {
  it('starts in the skill, finds its folders and returns its files', async () => {
    const { run } = await createSession()
    const ran = await run('pwd; mkdir -p out; echo hi > out/a.txt; readlink out work inputs', {
      output_files: ['out/*.txt'],
    })
    expect(ran).toMatchObject({
      exit_code: 0,
      timed_out: false,
      stdout: '/workspace/skills/demo\n../../out\n../../work\n../../work/inputs\n',
      output_files: [
        {
          name: 'out/a.txt',
          content: 'hi\n',
          mime_type: 'text/plain',
          ref: 'workspace://out/a.txt',
        },
      ],
    })
  })

  it('has the variables of the workspace, its own PATH and no secrets of the caller', async () => {
    const { run } = await createSession({ files: { 'demo/bin/tool': '#!/bin/sh\necho mine\n' } })
    const ran = await run(
      'chmod +x bin/tool 2>/dev/null; echo $SKILL_NAME $WORK_DIR $OUTPUT_DIR $VIRTUAL_ENV; test -d "$RUN_DIR" && echo run; echo $PATH',
    )
    expect(ran.stdout).toBe(
      'demo /workspace/work /workspace/out /workspace/skills/demo/.venv\nrun\n/workspace/skills/demo/.venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/workspace/skills/demo/bin\n',
    )
  })

  it('makes a Python environment as the guidance says, and explains why venv refuses a link', async () => {
    const { run, shell } = await createSession()
    const refused = await run('python3 -m venv --without-pip .venv')
    const advice = /type (.*?), whose/.exec(refused.warnings?.join() ?? '')?.[1] ?? 'no advice'
    expect(advice).toContain('python3 -m venv')
    const guided =
      /: (python3 -m venv [^:]*?) makes/.exec(renderGuidance(['skill_run']))?.[1] ?? 'no guidance'
    await run(`${guided} --without-pip`)
    expect((await run('which python3; python3 -c "import sys; print(sys.prefix)"')).stdout).toBe(
      '/workspace/skills/demo/.venv/bin/python3\n/workspace/skills/demo/.venv\n',
    )
    expect((await shell(`${advice} --without-pip`)).exit_code).toBe(0)
  })

  it('does not run in a login shell, and reads its stdin', async () => {
    const { run } = await createSession()
    await run('echo "echo profile" > $WORKSPACE_DIR/.bash_profile')
    expect((await run('cat', { stdin: 'hello' })).stdout).toBe('hello')
  })

  it('uses one workspace per session, which survives a restart of the process', async () => {
    const { run, open, call } = await createSession()
    await run('echo p > out/p.txt; echo q > $WORKSPACE_DIR/top.txt')
    const later = await (
      await open()
    ).skillRun(
      { session: 's', skill: 'demo', command: 'cat out/p.txt $WORKSPACE_DIR/top.txt' },
      call,
    )
    expect(later.stdout).toBe('p\nq\n')
    const other = await (
      await open()
    ).skillRun({ session: 'other', skill: 'demo', command: 'ls $OUTPUT_DIR' }, call)
    expect(other.stdout).toBe('')
  })

  it("does not access another caller's session of the same name", async () => {
    const { run, runtime, call } = await createSession()
    await run('echo p > out/p.txt')
    const ran = await runtime.skillRun(
      { session: 's', skill: 'demo', command: 'ls out' },
      { ...call, caller: { name: 'somebody' } },
    )
    expect(ran.stdout).toBe('')
  })

  it('cannot change the skill, except its packages', async () => {
    const { run } = await createSession()
    const ran = await run(
      'echo x >> SKILL.md || echo refused; echo y > .venv/lib.txt; chmod u+w SKILL.md || echo no',
    )
    expect(ran.stdout).toBe('refused\nno\n')
    expect((await run('cat .venv/lib.txt')).stdout).toBe('y\n')
  })

  it('may change a working copy, until the skill itself changes', async () => {
    const { run, skills } = await createSession({ settings: { 'workspace.skills': 'copies' } })
    expect((await run('echo own >> SKILL.md; tail -1 SKILL.md')).stdout).toBe('own\n')
    expect((await run('tail -1 SKILL.md')).stdout).toBe('own\n')
    writeFileSync(`${skills}/demo/new.txt`, 'new')
    expect((await run('cat new.txt; tail -1 SKILL.md')).stdout).toBe('newBody.\n')
    expect(readFileSync(`${skills}/demo/SKILL.md`, 'utf8')).not.toContain('own')
  })

  it('sees a changed skill, which is otherwise staged only once', async () => {
    const { run, skills, place } = await createSession()
    await run('true')
    const before = (await place()).state.skills['demo']?.stagedAt
    await run('true')
    expect((await place()).state.skills['demo']?.stagedAt).toBe(before)
    writeFileSync(`${skills}/demo/new.txt`, 'new')
    expect((await run('cat new.txt')).stdout).toBe('new')
  })

  it('that fails returns a result, without its empty files', async () => {
    const { run } = await createSession()
    const ran = await run('python3 missing.py > out/a.txt', {
      output_files: ['out/*'],
      save_as_artifacts: true,
    })
    expect(ran).toMatchObject({ exit_code: 2, output_files: [] })
    expect(ran.artifact_files).toBeUndefined()
    expect(ran.stderr).toContain('missing.py')
    expect(ran.warnings?.[0]).toContain('empty output_files omitted because command failed')
  })

  it('that exceeds its timeout reports it, with its processes killed and its real duration', async () => {
    const { run } = await createSession()
    const ran = await run('trap "" TERM; sleep 600 & echo up; wait', { timeout: 1 })
    expect(ran).toMatchObject({ timed_out: true, exit_code: -1, stdout: 'up\n' })
    expect((await run('true')).duration_ms).toBeLessThan(60_000)
  })

  it('kills its background processes when it ends', async () => {
    const { run } = await createSession()
    expect((await run('(sleep 600; echo late) & echo done')).stdout).toBe('done\n')
  })

  it.each([
    ['16 KiB', "head -c 16385 /dev/zero | tr '\\0' a", 'a'.repeat(16_384)],
    ['a character', `python3 -c "print('a' * 16383 + '你', end='')"`, 'a'.repeat(16_383)],
  ])('returns at most %s of its output', async (_, command, shown) => {
    const ran = await (await createSession()).run(command)
    expect(ran.stdout).toBe(shown)
    const call = `runtime.queryOutput {"artifactHandle":"${ran.run_id}"}`
    expect(ran.warnings).toContain(`stdout truncated: read the rest with ${call}`)
  })

  it.each([
    ['../../..', '/workspace/skills/demo'],
    ['/', '/workspace'],
    ['/work', '/workspace/work'],
    ['/out/x', '/workspace/out/x'],
    ['/etc', '/workspace/skills/demo'],
    ['$WORK_DIR', '/workspace/work'],
    // eslint-disable-next-line no-template-curly-in-string -- as it is written
    ['${OUTPUT_DIR}/x', '/workspace/out/x'],
    ['$WORKSPACE_DIR/../..', '/workspace/skills/demo'],
    ['..\\..', '/workspace/skills/demo'],
    ['work/new', '/workspace/work/new'],
  ])('with the folder %s starts in %s', async (cwd, folderInside) => {
    expect((await (await createSession()).run('pwd -P', { cwd })).stdout).toBe(`${folderInside}\n`)
  })

  it('gets an editor that writes the given text', async () => {
    const { run } = await createSession()
    const ran = await run('$EDITOR work/message; cat work/message', { editor_text: 'the text' })
    expect(ran.stdout).toBe('the text')
    await expect(run('true', { editor_text: 'x', env: { EDITOR: 'vi' } })).rejects.toThrow(
      'editor_text cannot be combined with env.EDITOR',
    )
  })

  it('requires that the skill is loaded first, if configured', async () => {
    const { run, runtime, call } = await createSession()
    const request = { require_load: true }
    await expect(run('true', request)).rejects.toThrow('requires skill_load first for "demo"')
    await runtime.skillLoad({ session: 's', skill: 'demo' }, call)
    expect((await run('true', request)).exit_code).toBe(0)
  })

  it('is rejected without required parameters, and for an unknown skill', async () => {
    const { run } = await createSession()
    await expect(run(' ')).rejects.toThrow('skill and command are required')
    await expect(run('true', { skill: 'nobody' })).rejects.toMatchObject({
      code: 'skill/not-found',
    })
  })

  it('is recorded, and its complete output is available by its run id', async () => {
    const { run, runtime } = await createSession()
    const { run_id: id } = await run('seq 1 100000')
    expect((await (await runtime.runs()).get(id)).kind).toBe('workspace')
    const found = await runtime
      .outputs()
      .then(async (all) => await all.info(id, { caller: undefined }))
    expect(found.streams.stdout.lines).toBe(100_001)
  })

  it('creates one workspace for concurrent callers', async () => {
    const { run, data } = await createSession()
    await Promise.all([1, 2, 3, 4].map(async () => await run('echo $$ >> $OUTPUT_DIR/all')))
    expect((await run('wc -l < out/all')).stdout.trim()).toBe('4')
    const created = readdirSync(`${data}/workspaces`).filter((name) => !name.startsWith('.'))
    expect(created).toHaveLength(1)
  })
})

describe('the inputs of a command', () => {
  it('are copied from the workspace, from skills and from artifacts', async () => {
    const { run } = await createSession({ files: { 'demo/data/x.csv': 'a,b' } })
    await run('echo one > out/a.txt', { output_files: ['out/a.txt'], save_as_artifacts: true })
    const ran = await run('cat inputs/a.txt inputs/y inputs/x.csv work/l', {
      inputs: [
        { from: 'artifact://out/a.txt' },
        { from: 'workspace://out/a.txt', to: 'inputs/y' },
        { from: 'skill://demo/data/x.csv' },
        { from: 'workspace://out/a.txt', to: 'work/l', mode: 'link' },
      ],
    })
    expect(ran.stdout).toBe('one\none\na,bone\n')
  })

  it('that are pinned keep their version', async () => {
    const { run } = await createSession()
    const save = { output_files: ['out/a'], save_as_artifacts: true }
    const pinned = { inputs: [{ from: 'artifact://out/a', to: 'inputs/p', pin: true }] }
    await run('echo 1 > out/a', save)
    expect((await run('cat inputs/p', pinned)).stdout).toBe('1\n')
    await run('echo 2 > out/a', save)
    expect((await run('cat inputs/p', pinned)).stdout).toBe('1\n')
    expect(
      (await run('cat inputs/n', { inputs: [{ from: 'artifact://out/a@1', to: 'inputs/n' }] }))
        .stdout,
    ).toBe('2\n')
  })

  it('of the host are restricted to allowed folders, for files and folders', async () => {
    const allowed = createFolder({ 'one.txt': '1', 'sub/two.txt': '2' })
    const other = createFolder({ 'secret.txt': 's' })
    symlinkSync(other, `${allowed}/way-out`)
    const { run, data, skills, call } = await createSession({
      settings: { 'workspace.host_roots': [allowed] },
    })
    const createInput = (path: string, more = {}) => ({
      inputs: [{ from: `host://${path}`, ...more }],
    })
    expect((await run('cat inputs/one.txt', createInput(`${allowed}/one.txt`))).stdout).toBe('1')
    expect(
      (await run('cat inputs/d/two.txt', createInput(`${allowed}/sub`, { to: 'inputs/d' }))).stdout,
    ).toBe('2')
    const linked = await run(
      'cat $WORK_DIR/sub/two.txt',
      createInput(`${allowed}/sub`, { to: 'work/sub', mode: 'link' }),
    )
    expect(linked.stdout).toBe('2')
    expect(
      (await run('cat $WORK_DIR/sub/two.txt; echo x > $WORK_DIR/sub/n || echo no')).stdout,
    ).toBe('2no\n')
    const later = await createRuntimeIn(data, { roots: [skills] })
    const ran = await later.skillRun(
      { session: 's', skill: 'demo', command: 'cat $WORK_DIR/sub/two.txt' },
      call,
    )
    expect(ran).toMatchObject({ stdout: '', exit_code: 1 })
    for (const path of [
      `${other}/secret.txt`,
      `${allowed}/way-out/secret.txt`,
      `${allowed}/../x`,
      '/etc/passwd',
    ]) {
      await expect(run('true', createInput(path))).rejects.toThrow(
        'it is not in a folder of workspace.host_roots',
      )
    }
  })

  it.each([
    ['ftp://x', 'expected artifact://, host://, workspace:// or skill://'],
    ['workspace://../../etc/passwd', 'there is no such file in the workspace'],
    ['workspace://out/nothing', 'there is no such file in the workspace'],
    ['artifact://nothing', 'there is no such artifact in this session'],
    ['skill://nobody/x', 'there is no such skill'],
  ])('from %s are rejected', async (createInput, why) => {
    await expect(
      (await createSession()).run('true', { inputs: [{ from: createInput }] }),
    ).rejects.toThrow(why)
  })

  it.each(['../x', '/workspace/../x', 'skills/demo/x', '$HOME/x'])(
    'to %s are rejected',
    async (to) => {
      const { run } = await createSession()
      const request = run('true', { inputs: [{ from: 'skill://demo/SKILL.md', to }] })
      await expect(request).rejects.toMatchObject({ code: 'params/invalid' })
    },
  )

  it('of the conversation are staged once, under unique names', async () => {
    const { run, place } = await createSession()
    const file = (name: string, text: string) => ({
      name,
      data: Buffer.from(text).toString('base64'),
    })
    const files = [file('../notes.txt', 'a'), file('C:\\tmp\\notes.txt', 'b'), file('..', 'c')]
    const ran = await run('cat inputs/notes.txt inputs/notes_2.txt inputs/upload', { files })
    expect(ran.stdout).toBe('abc')
    expect(ran.staged_inputs?.map(({ name }) => name)).toEqual([
      'work/inputs/notes.txt',
      'work/inputs/notes_2.txt',
      'work/inputs/upload',
    ])
    await run('ls', { files })
    expect(readdirSync(`${(await place()).root}/work/inputs`).sort()).toEqual([
      'notes.txt',
      'notes_2.txt',
      'upload',
    ])
    const lost = await run('true', { files: [{ file_id: 'blob:nowhere' }, {}] })
    expect(lost).toMatchObject({ exit_code: 0 })
    expect(lost.warnings).toHaveLength(2)
  })
})

describe('the outputs of a command', () => {
  it('are collected within limits, saved as artifacts and readable later', async () => {
    const { run, read } = await createSession()
    const ran = await run(
      'mkdir -p out/deep; for i in 1 2 3; do echo $i > out/deep/$i.txt; done; head -c 100 /dev/zero > out/zero.bin',
      {
        outputs: {
          globs: ['$OUTPUT_DIR/**/*.txt', 'out/{zero.bin,none}', 'skills/demo/out/deep/1.txt'],
          save: true,
          name_template: 'pref/',
        },
      },
    )
    expect(ran.output_files.map(({ name }) => name)).toEqual([
      'out/deep/1.txt',
      'out/deep/2.txt',
      'out/deep/3.txt',
      'out/zero.bin',
    ])
    expect(ran.output_files[3]).not.toHaveProperty('content')
    expect(ran.artifact_files?.[0]).toEqual({
      name: 'pref/out/deep/1.txt',
      version: 0,
      ref: 'artifact://pref/out/deep/1.txt@0',
      mime_type: 'text/plain',
      size_bytes: 2,
    })
    expect(await read('artifact://pref/out/deep/1.txt')).toMatchObject({ content: '1\n' })
    expect(await read('workspace://out/deep/2.txt')).toMatchObject({ content: '2\n' })
    const few = await run('true', { outputs: { globs: ['out/**'], max_files: 2 } })
    expect(few.output_files).toHaveLength(2)
    expect(few.warnings?.[0]).toContain('max_files')
    const hidden = await run('true', { outputs: { globs: ['out/**'], inline: false, save: true } })
    expect(hidden.output_files).toEqual([])
    expect(hidden.artifact_files).toHaveLength(4)
  })

  it('that are too large to read are marked as truncated', async () => {
    const { run, read } = await createSession()
    const ran = await run(
      'head -c 5242880 /dev/zero > out/big; printf "\\211PNG\\r\\n\\032\\n" > out/p',
      {
        output_files: ['out/*'],
        omit_inline_content: true,
        save_as_artifacts: true,
      },
    )
    expect(ran.output_files).toEqual([
      {
        name: 'out/big',
        mime_type: 'application/octet-stream',
        size_bytes: 5_242_880,
        truncated: true,
        ref: 'workspace://out/big',
      },
      { name: 'out/p', mime_type: 'image/png', size_bytes: 8, ref: 'workspace://out/p' },
    ])
    expect(ran.warnings).toContain('cannot save truncated output file: out/big')
    expect(await read('workspace://out/big', { offset: 5_242_870 })).toMatchObject({
      size_bytes: 5_242_880,
    })
  })

  it('are read in pieces without loss of a byte', async () => {
    const { run, read } = await createSession()
    const text = 'é你🎉 plain\n'.repeat(3)
    await run(`printf '${text.replaceAll('\n', '\\n')}' > out/t.txt`)
    for (const max_bytes of [1, 2, 3, 5, 7]) {
      const pieces: Buffer[] = []
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const piece = await read('workspace://out/t.txt', { offset, max_bytes })
        pieces.push(Buffer.from(piece.content ?? piece.data ?? '', piece.data ? 'base64' : 'utf8'))
        offset = piece.next_offset
      }
      expect(Buffer.concat(pieces).toString('utf8'), String(max_bytes)).toBe(text)
    }
  })

  it('include the primary one of the files that this command wrote', async () => {
    const { run } = await createSession()
    expect((await run('echo b > out/b.txt; echo a > out/a.txt')).primary_output?.name).toBe(
      'out/a.txt',
    )
    expect((await run('true')).primary_output).toBeUndefined()
  })

  it('are saved one by one by name', async () => {
    const { runtime, run, call } = await createSession()
    await run('echo 1 > out/r.txt')
    const save = async (path: string) =>
      await runtime.workspaceSaveArtifact({ session: 's', path }, call)
    expect(await save('out/r.txt')).toMatchObject({
      saved_as: 'out/r.txt',
      version: 0,
      ref: 'artifact://out/r.txt@0',
    })
    expect(await save('$OUTPUT_DIR/r.txt')).toMatchObject({ version: 1 })
    for (const [path, why] of [
      ['', 'path is required'],
      ['out/*', 'path must not contain glob patterns'],
      ['../x', 'path must stay within the workspace'],
      ['skills/demo/SKILL.md', 'path must stay under supported artifact roots'],
      ['out/none', 'workspace artifact file not found: out/none'],
    ] as const) {
      await expect(save(path), path).rejects.toThrow(why)
    }
  })
})
