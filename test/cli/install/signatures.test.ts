// @module-tag slow
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createInstallProject, type InstallProject } from './install-project.ts'

/** Runs commands that must succeed. */
async function runAll(run: InstallProject['run'], ...lines: string[]): Promise<void> {
  for (const line of lines) {
    const { code, stderr } = await run(...line.split(' '))
    expect([line, code, code === 0 ? '' : stderr]).toEqual([line, 0, ''])
  }
}

/** Packs the source as `greet-0.1.0.tar.gz` next to the project; returns what to type. */
async function packSource({ run, cwd }: InstallProject, version = '0.1.0'): Promise<string> {
  await runAll(run, 'pack ../source/greet --out ../packed --skip-lint')
  expect(existsSync(join(cwd, `../packed/greet-${version}.tar.gz`))).toBe(true)
  return `../packed/greet-${version}.tar.gz`
}

function setVersion({ source }: InstallProject, before: string, after: string): void {
  const file = join(source, 'skill.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(before, after))
}

/** An archive that the key `release` signed, which is trusted for every source. */
async function createSigned(): Promise<InstallProject & { archive: string }> {
  const project = createInstallProject()
  const archive = await packSource(project)
  await runAll(
    project.run,
    'keys new release',
    'keys trust release --own --source *',
    `sign ${archive} --key release`,
  )
  return { ...project, archive }
}

describe('skills install of a signed archive', () => {
  it('records its signers', async () => {
    const { run, archive, lock } = await createSigned()
    const { code, stderr } = await run('install', archive, '--yes')
    expect([code, stderr]).toEqual([0, expect.stringContaining('signed by release')])
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({
      skills: [{ signers: ['release'] }],
    })
    const { stdout } = await run('info', 'demo.greet')
    expect(stdout).toContain('the same files, signed by release when they were installed')
  })

  it.each([
    ['revoked', ['keys revoke release --reason stolen'], '(revoked)'],
    [
      'expired',
      ['keys remove --trusted release', 'keys trust release --own --source * --expires 2020-01-01'],
      '(expired)',
    ],
    [
      'trusted for another source',
      ['keys remove --trusted release', 'keys trust release --own --source github:bob/*'],
      '(source)',
    ],
  ])('by a key that is %s is refused', async (_, commands, reason) => {
    const { run, cwd, archive, installed, lock } = await createSigned()
    await runAll(run, ...commands)
    const { code, stderr } = await run('install', archive, '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
    expect([existsSync(installed), existsSync(lock)]).toEqual([false, false])
    // Control: without the signature, it is the reason for the refusal.
    rmSync(join(cwd, `${archive}.intoto.jsonl`))
    expect(await run('install', archive, '--yes')).toMatchObject({ code: 0 })
  })

  it('by an unknown key counts as unsigned, which a rule refuses', async () => {
    const { run, archive, installed } = await createSigned()
    await runAll(run, 'keys remove --trusted release', 'keys rule * --threshold 1')
    const refused = await run('install', archive, '--yes')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('demands 1')])
    expect(existsSync(installed)).toBe(false)
    await runAll(run, 'keys trust release --own --source *', `install ${archive} --yes`)
  })

  it('without its signatures is refused by a rule', async () => {
    const project = await createSigned()
    const { run, archive, cwd } = project
    await runAll(run, 'keys rule * --threshold 1')
    renameSync(join(cwd, `${archive}.intoto.jsonl`), join(cwd, 'kept.jsonl'))
    expect((await run('install', archive, '--yes')).stderr).toContain('demands 1')
    renameSync(join(cwd, 'kept.jsonl'), join(cwd, `${archive}.intoto.jsonl`))
    await runAll(run, `install ${archive} --yes`)
  })

  it('by one of two keys that a rule demands is refused', async () => {
    const { run, archive } = await createSigned()
    await runAll(
      run,
      'keys rule * --threshold 2',
      'keys new second',
      'keys trust second --own --source *',
    )
    const { code, stderr } = await run('install', archive, '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('demands 2')])
    await runAll(run, `sign ${archive} --key second`, `install ${archive} --yes`)
  })

  it('whose files changed is refused', async () => {
    const project = await createSigned()
    writeFileSync(join(project.source, 'evil.txt'), 'x')
    await runAll(project.run, 'pack ../source/greet --out ../packed --skip-lint --force')
    const { code, stderr } = await project.run('install', project.archive, '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('(changed)')])
  })

  it('that was replaced by an older signed version is a downgrade', async () => {
    const project = await createSigned()
    const { run, cwd, archive } = project
    setVersion(project, '0.1.0', '0.2.0')
    const newer = await packSource(project, '0.2.0')
    await runAll(run, `sign ${newer} --key release`)
    const serve = (file: string) => {
      for (const end of ['', '.intoto.jsonl']) {
        copyFileSync(join(cwd, file + end), join(cwd, `../packed/greet.tar.gz${end}`))
      }
    }
    serve(newer)
    await runAll(run, 'install ../packed/greet.tar.gz --yes')
    serve(archive)
    const { code, stderr } = await run('install', '../packed/greet.tar.gz', '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('0.1.0 is older')])
    await runAll(run, 'install ../packed/greet.tar.gz --yes --allow-downgrade')
    // An old archive under the name of the newer one is another source.
    copyFileSync(join(cwd, archive), join(cwd, newer))
    expect(await run('install', newer, '--yes')).toMatchObject({ code: 1 })
  })

  it('with the signatures of another version is refused', async () => {
    const project = await createSigned()
    const { run, cwd, archive } = project
    setVersion(project, '0.1.0', '0.2.0')
    const newer = await packSource(project, '0.2.0')
    copyFileSync(join(cwd, `${archive}.intoto.jsonl`), join(cwd, `${newer}.intoto.jsonl`))
    const { code, stderr } = await run('install', newer, '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('(other)')])
    await runAll(run, `sign ${newer} --key release`, `install ${newer} --yes`)
  })
})

describe('skills install --frozen of a signed skill', () => {
  /** Installed from the signed archive, and then removed from the disk. */
  async function createMissing() {
    const project = await createSigned()
    await runAll(project.run, `install ${project.archive} --yes`)
    rmSync(project.installed, { recursive: true })
    return project
  }

  it('restores it', async () => {
    const { run, installed } = await createMissing()
    await runAll(run, 'install --frozen', 'verify')
    expect(existsSync(installed)).toBe(true)
  })

  it.each([
    ['the key was revoked', ['keys revoke release --reason stolen'], 'is revoked'],
    [
      'the key expired',
      ['keys remove --trusted release', 'keys trust release --own --source * --expires 2020-01-01'],
      '(expired)',
    ],
    ['a rule demands two keys', ['keys rule * --threshold 2'], 'demands 2'],
    ['the key is not trusted any more', ['keys remove --trusted release'], 'was signed by release'],
  ])('refuses it since %s', async (_, commands, reason) => {
    const { run, installed } = await createMissing()
    await runAll(run, ...commands)
    const { code, stderr } = await run('install', '--frozen')
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
    expect(existsSync(installed)).toBe(false)
  })

  it('refuses it without its signatures, and an interactive restoration asks', async () => {
    const { run, cwd, archive, installed } = await createMissing()
    rmSync(join(cwd, `${archive}.intoto.jsonl`))
    const frozen = await run('install', '--frozen')
    expect([frozen.code, frozen.stderr]).toEqual([1, expect.stringContaining('was signed by')])
    const asked = await run('install')
    expect([asked.code, asked.stderr]).toEqual([
      4,
      expect.stringContaining('the signature of release, which skills.lock has, does not count'),
    ])
    expect(existsSync(installed)).toBe(false)
    await runAll(run, 'install --yes')
  })

  it('refuses another archive of the same files', async () => {
    const { run, cwd, archive, source, installed } = await createMissing()
    await runAll(run, 'pack ../source/greet --out ../zip --format zip --skip-lint')
    copyFileSync(join(cwd, '../zip/greet-0.1.0.zip'), join(cwd, archive))
    const { code, stderr } = await run('install', '--frozen')
    expect([code, stderr]).toEqual([3, expect.stringContaining('has the digest sha256:')])
    expect([existsSync(source), existsSync(installed)]).toEqual([true, false])
  })

  it('reports a revoked signer of an installed skill, and verify does as well', async () => {
    const { run } = await createMissing()
    await runAll(run, 'install --frozen', 'verify', 'keys revoke release --reason stolen')
    expect(await run('install', '--frozen')).toMatchObject({ code: 1 })
    const { code, stdout } = await run('verify')
    expect([code, stdout]).toEqual([1, expect.stringContaining('denied demo.greet')])
    expect((await run('verify', '--json')).json()).toMatchObject({
      ok: false,
      denied: [{ name: 'demo.greet', problem: 'its signer "release" is revoked' }],
    })
  })
})

describe('a lock that another machine wrote', () => {
  async function createCloned() {
    const project = createInstallProject()
    await runAll(project.run, 'install ../source/greet --yes')
    rmSync(project.installed, { recursive: true })
    return project
  }

  it('is no consent on this machine, unless it is frozen', async () => {
    const { run, runElsewhere, installed } = await createCloned()
    const { code, stderr } = await runElsewhere('install')
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('connects to https://api.example.com'),
    ])
    expect(existsSync(installed)).toBe(false)
    // Control: this machine has agreed.
    await runAll(run, 'install')
    rmSync(installed, { recursive: true })
    await runAll(runElsewhere, 'install --frozen')
    rmSync(installed, { recursive: true })
    // A frozen lock is reviewed, and not a consent of this user.
    expect(await runElsewhere('install')).toMatchObject({ code: 4 })
    await runAll(runElsewhere, 'install --yes')
    rmSync(installed, { recursive: true })
    await runAll(runElsewhere, 'install')
  })

  it('is no consent to its source, either', async () => {
    const { runElsewhere, run } = await createCloned()
    expect(await runElsewhere('install', '../source/greet')).toMatchObject({ code: 4 })
    expect(await run('install', '../source/greet')).toMatchObject({ code: 0 })
  })

  it.each([
    [
      'fewer rights',
      (text: string) => text.replace(/"host https:\/\/api\.example\.com:443",?/, ''),
      'capabilities',
    ],
    [
      'another digest of rights',
      (text: string) => text.replace(/("capabilities": ")[0-9a-f]{8}/, '$100000000'),
      'approved.capabilities',
    ],
    ['a higher version', (text: string) => text.replace('"0.1.0"', '"9.0.0"'), 'version'],
    ['another name', (text: string) => text.replace('"demo.greet"', '"demo.other"'), 'name'],
    ['another folder', (text: string) => text.replace('"greet"', '"pdf"'), 'folder'],
  ])('with %s than its files is refused', async (_, edit, key) => {
    const { run, lock, installed } = await createCloned()
    const [before, edited] = [readFileSync(lock, 'utf8'), edit(readFileSync(lock, 'utf8'))]
    expect(edited).not.toBe(before)
    writeFileSync(lock, edited)
    const { code, stderr } = await run('install', '--frozen')
    expect([code, stderr]).toEqual([2, expect.stringContaining(`"${key}" of`)])
    expect(existsSync(installed)).toBe(false)
  })

  it('with other rights than the installed files is reported by verify', async () => {
    const { run, lock } = await createCloned()
    await runAll(run, 'install')
    writeFileSync(lock, readFileSync(lock, 'utf8').replace('"0.1.0"', '"9.0.0"'))
    const { code, stdout } = await run('verify')
    expect([code, stdout]).toEqual([1, expect.stringContaining('lock-differs demo.greet')])
    expect(await run('install', '--frozen')).toMatchObject({ code: 2 })
  })

  it('refuses options that are about a source', async () => {
    const { run } = await createCloned()
    for (const option of ['--allow-downgrade', `--trust=sha256:${'0'.repeat(64)}`]) {
      const { code, stderr } = await run('install', option)
      expect([code, stderr]).toEqual([2, expect.stringContaining('needs the source')])
    }
  })
})

describe('the signature of an installed skill', () => {
  async function readTexts({ run }: InstallProject) {
    const list = (await run('list', '--json')).json()
    const all = (await run('verify', '--json')).json()
    const one = (await run('verify', 'demo.greet', '--json')).json()
    const skills = [...(list['skills'] as SignedRecord[]), ...(all['skills'] as SignedRecord[])]
    return [...skills, one as unknown as SignedRecord].map(({ signature }) => signature.text)
  }

  interface SignedRecord {
    signature: { text: string }
  }

  it('is the same for install, info, list and verify, and follows the trust list', async () => {
    const project = await createSigned()
    const { run, archive } = project
    await runAll(run, 'keys remove --trusted release')
    const { stdout } = await run('install', archive, '--yes')
    const stranger =
      /signed by a key that you do not trust \(sha256:[0-9a-f]{64}; skills keys trust <key file>\)/
    const [text = 'none'] = stranger.exec(stdout) ?? []
    expect((await run('info', archive)).stdout).toContain(text)
    expect(await readTexts(project)).toEqual([text, text, text])
    await runAll(run, 'keys trust release --own --source *')
    expect(await readTexts(project)).toEqual(Array(3).fill('signed by release'))
    expect((await run('list', '--long')).stdout).toContain('  signed by release  ')
    await runAll(run, 'keys revoke release --reason stolen')
    expect(await readTexts(project)).toEqual(
      Array(3).fill('signed by release, whose key is revoked'),
    )
  })

  it('is no reason to list nothing if the lock or the signatures are damaged', async () => {
    const { run, cwd, archive, lock } = await createSigned()
    await runAll(run, `install ${archive} --yes`)
    const folder = join(cwd, '.agents/.skills-install/signatures')
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{')
    expect((await run('list', '--long')).stdout).toContain('demo.greet')
    writeFileSync(lock, '<<<<<<< HEAD\n')
    const listed = await run('list', '--json')
    expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining('skills.lock')])
    expect(listed.json()).toMatchObject({ skills: [{ name: 'demo.greet' }] })
  })

  it('is absent for a skill without signatures, and recorded for one of another machine', async () => {
    const project = await createSigned()
    const { run, cwd, archive } = project
    await runAll(run, `install ${archive} --yes`)
    rmSync(join(cwd, '.agents/.skills-install/signatures'), { recursive: true })
    const [recorded] = await readTexts(project)
    expect(recorded).toBe('signed by release when it was installed on another machine')
    await runAll(run, 'remove demo.greet')
    rmSync(join(cwd, `${archive}.intoto.jsonl`))
    await runAll(run, `install ${archive} --yes`)
    expect(await readTexts(project)).toEqual(Array(3).fill('not signed'))
  })
})
