// @module-tag slow
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills, type CliResult } from '../../helpers/skills.ts'
import { ISSUER, startAuthority, WORKFLOW } from '../../core/signing/sigstore-authority.ts'

interface SigningProject {
  cwd: string
  home: string
  skill: string
  bundle: string
  run(...argv: string[]): Promise<CliResult>
}

/** A project with one skill, and an empty home folder. */
function createProject(): SigningProject {
  const cwd = createFolder(prefixPaths('greet', createActionSkill('demo.greet')))
  const home = createFolder()
  return {
    cwd,
    home,
    skill: join(cwd, 'greet'),
    bundle: join(cwd, 'greet.intoto.jsonl'),
    run: async (...argv) => await runSkills(argv, { cwd, env: { HOME: home } }),
  }
}

/** The same with a trusted key that has signed the skill. */
async function createSignedProject(): Promise<SigningProject> {
  const project = createProject()
  const { run } = project
  for (const argv of [
    ['keys', 'new', 'release'],
    ['keys', 'trust', 'release', '--own', '--source', 'github:alice/*'],
    ['sign', './greet', '--key', 'release', '--source', 'github:alice/skills'],
  ]) {
    expect(await run(...argv)).toMatchObject({ code: 0 })
  }
  return project
}

describe('skills sign', () => {
  it('writes a file next to the skill that skills verify accepts', async () => {
    const { run, bundle, skill } = await createSignedProject()
    expect(readFileSync(bundle, 'utf8').trimEnd().split('\n')).toHaveLength(1)
    expect(existsSync(join(skill, 'greet.intoto.jsonl'))).toBe(false)
    const { code, stdout } = await run('verify', './greet', '--source', 'github:alice/skills@v1')
    expect(stdout).toMatch(/^verified demo\.greet@0\.1\.0 sha256:[0-9a-f]{64}\n/)
    expect(stdout).toMatch(/signed by release sha256:\w+, trusted for github:alice\/\*/)
    expect(stdout).toMatch(/source github:alice\/skills, by the account of the signer/)
    expect(code).toBe(0)
  })

  it('keeps the signatures of other keys, and replaces those of the same key', async () => {
    const { run, bundle } = await createSignedProject()
    await run('keys', 'new', 'second')
    for (const key of ['second', 'release', 'second']) {
      await run('sign', './greet', '--key', key, '--source', 'github:alice/skills')
    }
    expect(readFileSync(bundle, 'utf8').trimEnd().split('\n')).toHaveLength(2)
    await run('keys', 'rule', 'github:alice/*', '--threshold', '2')
    const { code, stdout } = await run('verify', './greet')
    expect(stdout).toContain('1 of 2 keys signed that github:alice/* requires')
    expect(code).toBe(1)
    await run('keys', 'trust', 'second', '--own', '--source', 'github:alice/*')
    expect((await run('verify', './greet')).code).toBe(0)
  })

  it('drops signatures of content that is no longer there', async () => {
    const { run, bundle, skill } = await createSignedProject()
    const before = readFileSync(bundle, 'utf8')
    writeFileSync(join(skill, 'code/main.py'), 'def main(args):\n    return 2\n')
    await run('keys', 'new', 'second')
    await run('sign', './greet', '--key', 'second')
    const after = readFileSync(bundle, 'utf8')
    expect(after.trimEnd().split('\n')).toHaveLength(1)
    expect(after).not.toContain(before.trim())
  })

  it('states the results of tests, which skills verify shows', async () => {
    const { run, cwd } = await createSignedProject()
    const cases = ['passed', 'flaky'].map((status) => ({
      skill: 'demo.greet',
      suite: 'english',
      path: 'greet/tests/english.test.toml',
      position: { line: 1, column: 1 },
      name: `is ${status}`,
      tags: [],
      status,
      attempts: [],
    }))
    const report = { schema: 'skills.test/v1', duration_ms: 1, partial: false, cases }
    writeFileSync(join(cwd, 'report.json'), JSON.stringify(report))
    const sign = ['sign', './greet', '--key', 'release', '--source', 'github:alice/skills']
    await run(...sign, '--test-report', 'report.json')
    const { tests } = (await run('verify', './greet', '--json')).json()
    expect(tests).toEqual([
      {
        result: 'WARNED',
        passed: ['english › is passed'],
        warned: ['english › is flaky'],
        failed: [],
        signers: ['release'],
      },
    ])
    const foreign = { ...report, cases: cases.map((each) => ({ ...each, skill: 'demo.x' })) }
    writeFileSync(join(cwd, 'report.json'), JSON.stringify(foreign))
    expect(await run(...sign, '--test-report', 'report.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no case of the skill "demo.greet"'),
    })
  })

  it.each([
    [['--key', 'relaese'], /There is no key "relaese"[\s\S]*Did you mean "release"/],
    [['--key', 'release', '--source', 'alice/skills'], /is not a source of skills/],
    [['--key', 'release', '--commit', 'x'], /is not the id of a commit/],
    [['--key', 'release', '--bundle', 'greet/x.jsonl'], /are inside the skill/],
    [['--key', 'release', '--test-report', 'greet/SKILL.md'], /is not a report of skills test/],
  ])('with %j is refused, and writes nothing', async (options, message) => {
    const { run, bundle } = createProject()
    await run('keys', 'new', 'release')
    const { code, stderr } = await run('sign', './greet', ...options)
    expect(stderr).toMatch(message)
    expect(code).not.toBe(0)
    expect(existsSync(bundle)).toBe(false)
  })

  it('reads the passphrase of a key from a variable, and asks for none elsewhere', async () => {
    const { run, cwd, home } = createProject()
    const env = { HOME: home, SKILLS_KEY_PASSPHRASE: 'correct horse' }
    expect(await run('keys', 'new', 'release', '--passphrase')).toMatchObject({ code: 2 })
    const made = await runSkills(['keys', 'new', 'release', '--passphrase'], { cwd, env })
    expect(made.code).toBe(0)
    const sign = ['sign', './greet', '--key', 'release']
    expect((await run(...sign)).stderr).toMatch(/needs a passphrase[\s\S]*--passphrase-fd/)
    const wrong = { ...env, SKILLS_KEY_PASSPHRASE: 'x' }
    expect((await runSkills(sign, { cwd, env: wrong })).stderr).toMatch(/passphrase .* is wrong/)
    expect((await runSkills(sign, { cwd, env })).code).toBe(0)
  })
})

describe('skills verify', () => {
  it.each([
    [
      'a changed file',
      'changed: code/main.py',
      (skill: string) => writeFileSync(join(skill, 'code/main.py'), ''),
    ],
    ['an extra file', 'extra: x.txt', (skill: string) => writeFileSync(join(skill, 'x.txt'), '')],
    [
      'a missing file',
      'missing: code/main.py',
      (skill: string) => rmSync(join(skill, 'code/main.py')),
    ],
    [
      'a changed mode',
      'changed: code/main.py',
      (skill: string) => chmodSync(join(skill, 'code/main.py'), 0o755),
    ],
    [
      'a broken manifest',
      'changed: skill.toml',
      (skill: string) => writeFileSync(join(skill, 'skill.toml'), '['),
    ],
    [
      'a link with the same content in place of a file',
      'changed: code/main.py',
      (skill: string) => {
        copyFileSync(join(skill, 'code/main.py'), join(skill, '..', 'main.py'))
        rmSync(join(skill, 'code/main.py'))
        symlinkSync('../../main.py', join(skill, 'code/main.py'))
      },
    ],
  ])('names %s', async (_, line, attack) => {
    const { run, skill } = await createSignedProject()
    expect((await run('verify', './greet')).code).toBe(0)
    attack(skill)
    const { code, stdout } = await run('verify', './greet')
    expect(stdout).toMatch(/^changed /)
    expect(stdout).toContain(line)
    expect(code).toBe(1)
  })

  it('does not accept the signatures of another skill under its name', async () => {
    const { run, cwd, bundle } = await createSignedProject()
    const other = createFolder(prefixPaths('x', createActionSkill('demo.other')))
    renameSync(join(other, 'x'), join(cwd, 'other'))
    copyFileSync(bundle, join(cwd, 'other.intoto.jsonl'))
    const { code, stdout } = await run('verify', './other')
    expect(stdout).toContain('The signatures are for demo.greet@0.1.0')
    expect(code).toBe(1)
  })

  it('does not accept another version than the expected one', async () => {
    const { run } = await createSignedProject()
    expect((await run('verify', './greet', '--expect', 'demo.greet@0.1.0')).code).toBe(0)
    const newer = await run('verify', './greet', '--expect', 'demo.greet@0.2.0')
    expect(newer).toMatchObject({ code: 1, stdout: expect.stringMatching(/^other /) })
  })

  it('states that there are no signatures, or none of a trusted key', async () => {
    const { run, bundle, home } = await createSignedProject()
    rmSync(join(home, '.config/skills/trust.json'))
    expect(await run('verify', './greet')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^untrusted .*\n {2}signed by a key that you do not trust \(sha256:/,
      ),
    })
    rmSync(bundle)
    expect(await run('verify', './greet')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^unsigned .*\n {2}not signed: there are no signatures in/),
    })
  })

  it('reports a revoked and an expired key', async () => {
    const { run } = await createSignedProject()
    const expired = ['--own', '--source', 'github:alice/*', '--expires', '2026-01-01']
    await run('keys', 'trust', 'release', ...expired)
    expect((await run('verify', './greet')).stdout).toMatch(
      /^expired .*\n {2}The keys have expired/,
    )
    await run('keys', 'revoke', 'release', '--reason', 'stolen')
    const { code, stdout } = await run('verify', './greet')
    expect(stdout).toMatch(/^revoked /)
    expect(stdout).toMatch(/revoked since 2\S+: stolen/)
    expect(code).toBe(1)
    const again = await run('keys', 'trust', 'release', '--own', '--source', '*')
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is revoked: stolen') })
  })

  it('does not accept a key for another source', async () => {
    const { run } = await createSignedProject()
    const { code, stdout } = await run('verify', './greet', '--source', 'github:acme/skills')
    expect(stdout).toMatch(/^source .*\n {2}The keys are not trusted for this source/)
    expect(code).toBe(1)
  })

  it('exits with 2 for signatures and for a trust list that are not valid', async () => {
    const { run, bundle, home } = await createSignedProject()
    const signatures = readFileSync(bundle, 'utf8')
    writeFileSync(bundle, signatures.replace('"sig":"', '"sig":" '))
    expect(await run('verify', './greet')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /are not valid: line 1: .*sig is .*, expected canonical base64/,
      ),
    })
    writeFileSync(bundle, signatures)
    chmodSync(join(home, '.config/skills/trust.json'), 0o666)
    expect(await run('verify', './greet')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Others can write to'),
    })
  })

  it('prints a document with every fact', async () => {
    const { run, bundle } = await createSignedProject()
    expect((await run('verify', './greet', '--json')).json()).toMatchObject({
      schema: 'skills.verification/v1',
      state: 'verified',
      archive: null,
      name: 'demo.greet@0.1.0',
      bundle,
      signers: [{ name: 'release', state: 'valid', sources: ['github:alice/*'], first_use: false }],
      release: {
        source: { repo: 'github:alice/skills' },
        capabilities: { kind: 'action', language: 'python', network: [], secrets: [] },
      },
      changes: null,
      threshold: null,
      tests: [],
    })
  })

  it('does not trust a key that is delivered with the skill', async () => {
    const { run, home, skill, cwd } = await createSignedProject()
    const { stdout: key } = await run('keys', 'export', 'release')
    rmSync(join(home, '.config/skills/trust.json'))
    writeFileSync(join(cwd, 'greet.pub'), key)
    writeFileSync(join(skill, 'trust.json'), '{}')
    expect((await run('verify', './greet')).stdout).toMatch(/^untrusted /)
  })
})

describe('an archive', () => {
  async function createSignedArchive() {
    const project = await createSignedProject()
    const { run, cwd, skill } = project
    writeFileSync(join(skill, 'LICENSE'), 'free')
    expect(await run('pack', './greet', '--out', 'dist', '--skip-lint')).toMatchObject({ code: 0 })
    const archive = join(cwd, 'dist', 'greet-0.1.0.tar.gz')
    await run('sign', archive, '--key', 'release', '--source', 'github:alice/skills')
    return { ...project, archive }
  }

  it('is signed with its bytes and its files, and verified', async () => {
    const { run, archive } = await createSignedArchive()
    expect(existsSync(`${archive}.intoto.jsonl`)).toBe(true)
    const { code, stdout } = await run('verify', archive, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'verified',
      name: 'demo.greet@0.1.0',
      archive: { name: 'greet-0.1.0.tar.gz', signed: true },
      subjects: [{ name: 'demo.greet@0.1.0' }, { name: 'greet-0.1.0.tar.gz' }],
    })
  })

  it('has signatures that verify the folder that it unpacks to', async () => {
    const { run, archive } = await createSignedArchive()
    expect((await run('verify', './greet')).stdout).toMatch(/^changed /)
    const bundle = ['--bundle', `${archive}.intoto.jsonl`]
    expect((await run('verify', './greet', ...bundle)).stdout).toMatch(/^verified /)
  })

  it('that was packed again is verified by its files, which is stated', async () => {
    const { run, archive, cwd } = await createSignedArchive()
    await run('pack', './greet', '--out', 'again', '--format', 'zip', '--skip-lint')
    const other = ['verify', join(cwd, 'again/greet-0.1.0.zip')]
    const { code, stdout } = await run(...other, '--bundle', `${archive}.intoto.jsonl`)
    expect(stdout).toContain('packed again: the files of the archive are signed')
    expect(code).toBe(0)
  })

  it('with another file is changed, and the file is named', async () => {
    const { run, archive, skill } = await createSignedArchive()
    writeFileSync(join(skill, 'code/main.py'), 'def main(args):\n    return 2\n')
    await run('pack', './greet', '--out', 'dist', '--force', '--skip-lint')
    const { code, stdout } = await run('verify', archive)
    expect(stdout).toMatch(/^changed /)
    expect(stdout).toContain('changed: code/main.py')
    expect(code).toBe(1)
  })

  it('that is no archive is refused', async () => {
    const { run, cwd } = await createSignedProject()
    writeFileSync(join(cwd, 'large.zip'), '')
    truncateSync(join(cwd, 'large.zip'), 1024 ** 3)
    expect((await run('verify', 'large.zip')).stderr).toMatch(/has more than 10 MiB/)
    writeFileSync(join(cwd, 'x.zip'), 'PK')
    expect(await run('verify', 'x.zip')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('The archive is refused'),
    })
  })
})

describe('a bundle of sigstore', () => {
  it('is verified with a trusted root and a trusted identity only', async () => {
    const { run, cwd, bundle } = await createSignedProject()
    const authority = await startAuthority()
    const { payload } = JSON.parse(readFileSync(bundle, 'utf8')) as { payload: string }
    const signed = JSON.parse(await authority.sign(Buffer.from(payload, 'base64'))) as object
    // As other tools write it: one bundle on several lines.
    writeFileSync(join(cwd, 'greet.sigstore.json'), JSON.stringify(signed, null, 2))
    writeFileSync(join(cwd, 'root.json'), authority.root)
    const verify = ['verify', './greet', '--bundle', 'greet.sigstore.json']
    const skipped = await run(...verify)
    expect(skipped).toMatchObject({ code: 1, stdout: expect.stringMatching(/^untrusted /) })
    expect(skipped.stdout).toContain('attestations present, not checked: no trusted root')
    const withRoot = [...verify, '--trusted-root', 'root.json']
    expect((await run(...withRoot)).stdout).toMatch(/^untrusted /)
    const identity = WORKFLOW.replace(/@.*/, '@*')
    const add = ['keys', 'trust', '--name', 'ci', '--source', 'github:alice/*']
    expect((await run(...add, '--identity', identity)).stderr).toMatch(/needs --issuer/)
    await run(...add, '--identity', identity, '--issuer', ISSUER)
    const { code, stdout } = await run(...withRoot)
    expect(stdout).toContain(`signed by ci ${ISSUER} ${identity}, trusted for github:alice/*`)
    expect(code).toBe(0)
    await run('keys', 'revoke', 'ci', '--reason', 'the workflow was changed')
    expect((await run(...withRoot)).stdout).toMatch(/^revoked /)
  })

  it('is not checked with a root that is missing or that others can change', async () => {
    const { run, cwd } = await createSignedProject()
    const verify = ['verify', './greet', '--trusted-root', 'root.json']
    expect(await run(...verify)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it does not exist'),
    })
    writeFileSync(join(cwd, 'root.json'), '{}')
    chmodSync(join(cwd, 'root.json'), 0o666)
    expect((await run(...verify)).stderr).toContain('Others can write to')
  })
})

describe('skills trust', () => {
  it('adds a key only after a comparison, or on first use if asked to', async () => {
    const author = createProject()
    await author.run('keys', 'new', 'alice')
    const listed = (await author.run('keys', 'list', '--json')).json() as { keys: { id: string }[] }
    const id = listed.keys[0]?.id ?? ''
    const { stdout } = await author.run('keys', 'export', 'alice')
    const { run, cwd } = createProject()
    writeFileSync(join(cwd, 'alice.pub'), stdout)
    const add = ['keys', 'trust', 'alice.pub', '--name', 'alice', '--source', 'github:alice/*']
    expect(await run(...add)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/which was not compared[\s\S]*--key-id/),
    })
    const other = `sha256:${'0'.repeat(64)}`
    expect(await run(...add, '--key-id', other)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`has the id ${id}, expected ${other}`),
    })
    expect((await run('keys', 'list', '--trusted')).stdout).toBe('')
    const first = await run(...add, '--first-use')
    expect(first.stdout).toContain('accepted on first use, not compared')
    expect(first.stderr).toContain('Nothing confirms that this key is that of "alice"')
    const compared = await run(...add, '--key-id', id)
    expect(compared.stdout).toBe(`alice ${id} for github:alice/*\n`)
  })

  it('refuses a private key, and a file that is not a key', async () => {
    const { run, cwd, home } = createProject()
    await run('keys', 'new', 'release')
    copyFileSync(join(home, '.config/skills/keys/release.pem'), join(cwd, 'release.pem'))
    const options = ['--name', 'x', '--source', '*', '--first-use']
    expect((await run('keys', 'trust', 'release.pem', ...options)).stderr).toMatch(
      /is a private key, which must not be passed on/,
    )
    expect((await run('keys', 'trust', 'greet/SKILL.md', ...options)).stderr).toMatch(
      /is not a public key/,
    )
    expect((await run('keys', 'trust', 'none.pub', ...options)).stderr).toMatch(/ENOENT/)
  })

  it('sets, lists and removes a rule', async () => {
    const { run } = await createSignedProject()
    const rule = ['keys', 'rule', 'github:alice/*']
    expect((await run(...rule)).stderr).toMatch(/Missing the number of keys/)
    expect((await run(...rule, '--threshold', '2', '--key', 'bob')).stderr).toMatch(/no key "bob"/)
    expect((await run(...rule, '--threshold', '2', '--key', 'release')).stderr).toMatch(
      /threshold is 2, expected at most the number of its keys, 1/,
    )
    await run(...rule, '--threshold', '1', '--key', 'release')
    const listed = await run('keys', 'list', '--trusted')
    expect(listed.stdout).toContain('rule github:alice/*: at least 1 of release')
    expect((await run('keys', 'remove', '--trusted', 'release')).stderr).toMatch(/names "release"/)
    expect((await run(...rule, '--remove')).code).toBe(0)
    expect((await run(...rule, '--remove')).code).toBe(2)
    expect((await run('keys', 'remove', '--trusted', 'release')).code).toBe(0)
    expect((await run('keys', 'list', '--trusted', '--json')).json()).toMatchObject({
      keys: [],
      rules: [],
    })
  })
})

describe('skills keys', () => {
  it('prints a public key only, and removes a pair only when confirmed', async () => {
    const { run, home } = createProject()
    await run('keys', 'new', 'release')
    const { stdout } = await run('keys', 'export', 'release')
    expect(stdout).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
    expect(stdout).not.toContain('PRIVATE')
    expect((await run('keys', 'remove', 'release')).stderr).toMatch(/needs a confirmation/)
    const file = join(home, '.config/skills/keys/release.pem')
    expect(existsSync(file)).toBe(true)
    expect((await run('keys', 'remove', 'release', '--yes')).code).toBe(0)
    expect(existsSync(file)).toBe(false)
  })
})
