// @module-tag slow
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../helpers/skills.ts'
import { createSession } from './in-workspace.ts'

describe('files of an earlier command', () => {
  it('cannot lead out of the workspace', async () => {
    const host = createFolder({ 'secret.txt': 'of the host' })
    const { run, read } = await createSession()
    await run(
      `ln -s ${host}/secret.txt out/l; ln -s ${host} out/d; ln -s /workspace/out/real out/ok; echo r > out/real; mkfifo out/fifo; ln -s out/loop $WORKSPACE_DIR/out/loop; ln -s ../../../../../..${host} out/up`,
    )
    const ran = await run('true', { output_files: ['out/*', 'out/d/*', 'out/up/*', 'out/fifo'] })
    // The symlink inside leads to the same file.
    expect(ran.output_files.map(({ name }) => name)).toEqual(['out/real'])
    for (const ref of [
      'workspace://out/l',
      'workspace://out/d/secret.txt',
      'workspace://out/fifo',
      'workspace://../x',
    ]) {
      await expect(read(ref), ref).rejects.toMatchObject({ code: 'file/not-found' })
    }
    // Control: the symlinks exist, and following them reaches the file.
    expect(readFileSync(`${host}/secret.txt`, 'utf8')).toBe('of the host')
  })

  it('cannot redirect inputs to another place', async () => {
    const host = createFolder({ 'target.txt': 'before' })
    const { run } = await createSession()
    await run(
      `rm -rf $WORK_DIR/inputs; ln -s ${host} $WORK_DIR/inputs; ln -s ${host}/target.txt $WORK_DIR/t`,
    )
    const file = { name: 'target.txt', data: Buffer.from('after').toString('base64') }
    const ran = await run('true', { files: [file] }).catch((error: Error) => error)
    expect(ran).toBeDefined()
    await run('cat $WORK_DIR/t', { inputs: [{ from: 'skill://demo/SKILL.md', to: 'work/t' }] })
    expect(readFileSync(`${host}/target.txt`, 'utf8')).toBe('before')
    expect(existsSync(`${host}/SKILL.md`)).toBe(false)
  })

  it('cannot be setuid programs, nor move or replace the skills folder', async () => {
    const { run, place } = await createSession()
    const ran = await run(
      'cp /bin/true $WORK_DIR/t; chmod 4755 $WORK_DIR/t && echo set; mv $SKILLS_DIR $WORKSPACE_DIR/s2 && echo moved; rm -rf $SKILLS_DIR 2>/dev/null; ln -s /etc $WORKSPACE_DIR/skills && echo linked; ls',
    )
    expect(ran.stdout).not.toMatch(/set|moved|linked/)
    expect(ran.stdout).toContain('SKILL.md')
    expect((await run('cat SKILL.md')).exit_code).toBe(0)
    expect(existsSync(`${(await place()).root}/skills`)).toBe(true)
  })

  it('cannot redirect writes into read-only folders', async () => {
    const { run, runtime, call, place } = await createSession({ files: { 'demo/sub/x': 'x' } })
    await run('ln -s /workspace/skills/demo $WORK_DIR/s; ln -s ../skills/demo/.venv $WORK_DIR/v')
    for (const to of ['work/s/SKILL.md', 'work/s/sub/new/deep', 'work/s/new']) {
      const request = run('true', { inputs: [{ from: 'skill://demo/sub/x', to }] })
      await expect(request, to).rejects.toThrow('is read-only')
    }
    expect((await run('cat SKILL.md')).stdout).toContain('# Demo')
    expect(existsSync(`${(await place()).skills}/demo/new`)).toBe(false)
    // Control: the same input is staged in a writable folder.
    await run('cat .venv/x', { inputs: [{ from: 'skill://demo/sub/x', to: 'work/v/x' }] })
    expect((await run('cat .venv/x')).stdout).toBe('x')
    await expect(
      runtime.workspaceSaveArtifact({ session: 's', path: 'work/s/../../../etc/passwd' }, call),
    ).rejects.toThrow('path must stay within the workspace')
  })

  it('cannot cause an unexpected error', async () => {
    const { run, read, runtime, call, shell } = await createSession()
    await run('echo x > out/file; ln -s loop $WORK_DIR/loop; mkdir $WORK_DIR/folder')
    const from = 'skill://demo/SKILL.md'
    for (const to of [
      'n'.repeat(300),
      'work/a\0b',
      'out/file/below',
      'work/loop/x',
      'work/folder',
    ]) {
      const request = run('true', { inputs: [{ from, to }] })
      await expect(request, to).rejects.toMatchObject({ code: 'params/invalid' })
    }
    for (const ref of [
      'workspace://a\0b',
      `workspace://${'n'.repeat(300)}`,
      'workspace://work/loop',
    ])
      await expect(read(ref), ref).rejects.toMatchObject({ code: 'file/not-found' })
    for (const path of ['out/a\0b', 'work/loop']) {
      const request = runtime.workspaceSaveArtifact({ session: 's', path }, call)
      await expect(request, path).rejects.toMatchObject({ code: 'params/invalid' })
    }
    await expect(shell('true', { cwd: 'work/a\0b' })).rejects.toMatchObject({
      code: 'params/invalid',
    })
    const file = { name: `${'é'.repeat(199)}.txt`, data: 'eA==' }
    const [staged] = (await run('true', { files: [file] })).staged_inputs ?? []
    expect(staged?.name).toBe(`work/inputs/${'é'.repeat(98)}.txt`)
  })

  it('can be copied onto themselves through a symlink without loss', async () => {
    const { run } = await createSession()
    await run('echo kept > out/a; ln -s out $WORKSPACE_DIR/same')
    await run('true', { inputs: [{ from: 'workspace://out/a', to: 'same/a' }] })
    expect((await run('cat out/a')).stdout).toBe('kept\n')
  })

  it('cannot exceed the size limit of the workspace', async () => {
    const { run } = await createSession({ settings: { 'run.limits.workspace': '2MiB' } })
    const ran = await run(
      'for i in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > out/$i; done; sleep 600',
    )
    expect(ran).toMatchObject({ exit_code: -1 })
    expect(ran.warnings?.join()).toContain('DiskLimit')
  })
})

describe("a skill's packages", () => {
  it('count towards the size limit of the workspace', async () => {
    const { run } = await createSession({ settings: { 'run.limits.workspace': '2MiB' } })
    const ran = await run(
      'for i in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > .venv/$i; done; sleep 600',
    )
    expect(ran).toMatchObject({ exit_code: -1 })
    expect(ran.warnings?.join()).toContain('DiskLimit')
  })
})

describe('the artifacts of a session', () => {
  it('cannot exceed the quota of all workspaces', async () => {
    const { run } = await createSession({ settings: { 'store.quota': '1MiB' } })
    const saveFile = async () =>
      await run('head -c 600000 /dev/zero > out/a', {
        output_files: ['out/a'],
        save_as_artifacts: true,
      })
    expect((await saveFile()).artifact_files).toMatchObject([{ name: 'out/a', version: 0 }])
    await expect(saveFile()).rejects.toMatchObject({ code: 'store/full' })
  })
})

describe('workspaces', () => {
  it('that are unused for long are removed, except those in use', async () => {
    const { run, runtime, data } = await createSession({
      settings: { 'store.ttl': '1ms', 'workspace.sandbox': 'command' },
    })
    await run('true')
    const workspaces = await runtime.workspaces()
    const [key = ''] = readdirSync(`${data}/workspaces`).filter((name) =>
      /^[0-9a-f]{40}$/.test(name),
    )
    const release = workspaces.acquire(key)
    expect(await workspaces.sweep()).toEqual({ removed: 0 })
    release()
    expect(await workspaces.sweep()).toEqual({ removed: 1 })
    expect(existsSync(`${data}/workspaces/${key}`)).toBe(false)
    expect((await run('echo again')).stdout).toBe('again\n')
  })

  it('with a running command are marked as in use for other processes', async () => {
    const { run, runtime, open, data } = await createSession({
      settings: { 'workspace.sandbox': 'command' },
      bounds: { maxWorkspaces: 1 },
    })
    await run('true')
    const [key = ''] = readdirSync(`${data}/workspaces`).filter((name) =>
      /^[0-9a-f]{40}$/.test(name),
    )
    await (
      await open()
    ).skillRun({ session: 'newer', skill: 'demo', command: 'true' }, { cwd: data, env: {} })
    const workspaces = await runtime.workspaces()
    const release = workspaces.acquire(key)
    const old = new Date(Date.now() - 600_000)
    const sweepElsewhere = async () => await (await (await open()).workspaces()).sweep()
    utimesSync(`${data}/workspaces/${key}`, old, old)
    await workspaces.touch()
    expect(await sweepElsewhere()).toEqual({ removed: 0 })
    release()
    utimesSync(`${data}/workspaces/${key}`, old, old)
    await workspaces.touch()
    expect(await sweepElsewhere()).toEqual({ removed: 1 })
  })

  it('that another process removed are created once for concurrent callers', async () => {
    const { run, runtime, data, place, call } = await createSession()
    await run('true')
    const { key } = await place()
    rmSync(`${data}/workspaces/${key}`, { recursive: true })
    const workspaces = await runtime.workspaces()
    const all = await Promise.all([1, 2, 3].map(async () => await workspaces.open(key, call)))
    expect(new Set(all).size).toBe(1)
  })

  it('contain the changes of two processes', async () => {
    const { runtime, open, call, toolsOf, place } = await createSession({
      files: { 'other/SKILL.md': '---\nname: other\ndescription: x\n---\n' },
    })
    const here = await place()
    const release = (await runtime.workspaces()).acquire(here.key)
    await toolsOf(await open()).run('true', { skill: 'other' })
    await runtime.skillRun({ session: 's', skill: 'demo', command: 'true' }, call)
    release()
    expect(Object.keys(here.state.skills).sort()).toEqual(['demo', 'other'])
  })

  it('with a damaged state are staged again and keep their files', async () => {
    const { run, open, call, place } = await createSession()
    await run('echo kept > out/a')
    writeFileSync(`${(await place()).dir}/workspace.json`, '{')
    const later = await (
      await open()
    ).skillRun({ session: 's', skill: 'demo', command: 'cat out/a' }, call)
    expect(later.stdout).toBe('kept\n')
  })

  it('replace folders of a skill by symlinks of the same names', async () => {
    const { run, skills } = await createSession({
      files: { 'demo/out/own.txt': 'x', 'demo/.venv/own': 'x' },
    })
    mkdirSync(`${skills}/demo/work`)
    const ran = await run('readlink out work; ls -A .venv')
    expect(ran.stdout).toBe('../../out\n../../work\n')
  })
})
