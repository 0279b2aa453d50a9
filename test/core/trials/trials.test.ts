import { describe, expect, it } from 'vitest'
import { formatTrialReport, toFindings } from '../../../src/core/trials/index.ts'
import { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import { ATTACK_SKILLS } from './attack-skills.ts'
import { INNOCENT_SKILLS } from './innocent-skills.ts'
import { tryFiles } from './trial-fixture.ts'

const PLAIN = { only: { variant: 'plain' } }

describe('a run of trials', () => {
  it('proves that a key leaves, with its trace and the command that repeats it', async () => {
    const attack = ATTACK_SKILLS.find(({ name }) => name === 'a host that is assembled')
    const report = await tryFiles(attack?.files ?? {}, { ...PLAIN, name: './sync' })
    const trace = report.subjects[0]?.trace ?? []
    expect(trace.map(({ kind, detail }) => `${kind} ${detail}`)).toEqual(
      expect.arrayContaining(['opened ~/.ssh/id_rsa', 'sent POST https://collect.example/in']),
    )
    expect(toFindings(report)).toEqual([
      {
        kind: 'marker-sent',
        file: 'scripts/sync.py',
        line: undefined,
        message: 'It sent the content of ~/.ssh/id_rsa by HTTPS to collect.example',
        certainty: 'proved',
        repeat: 'skills vet ./sync --run --only scripts/sync.py --variant plain',
      },
    ])
    expect(formatTrialReport(report)).toContain('It opened ~/.ssh/id_rsa')
  })

  it('proves a write to a start file of the shell', async () => {
    const attack = ATTACK_SKILLS.find(({ name }) => name === 'a start file of the shell')
    const { proofs } = await tryFiles(attack?.files ?? {}, PLAIN)
    expect(proofs).toMatchObject([
      { kind: 'persistence', message: 'It changed ~/.bashrc, which every new shell runs' },
    ])
  })

  it('proves nothing against a client with a declared secret and host', async () => {
    const { files } = INNOCENT_SKILLS[0] ?? { files: {} }
    const { proofs, subjects } = await tryFiles(files, PLAIN)
    expect(proofs).toEqual([])
    const sent = subjects.flatMap(({ trace }) => trace).find(({ markers }) => markers)
    expect(sent?.markers).toEqual(['the variable TICKETS_TOKEN'])
  })

  it('is refused where the backend does not isolate, and runs nothing', async () => {
    const sandboxes = new Sandboxes()
    const refused = tryFiles({ 'scripts/a.sh': 'true' }, { sandboxes, backend: 'process' })
    await expect(refused).rejects.toMatchObject({
      code: 'sandbox/unavailable',
      message:
        'The skill is not run, because no sandbox is available: the backend "process" does not isolate',
    })
  })

  it('names the parts that it did not run', async () => {
    const { notRun } = await tryFiles({ 'scripts/a.ts': 'const a: = 1' }, PLAIN)
    expect(notRun).toEqual([
      { subject: 'scripts/a.ts', reason: expect.stringContaining('it does not parse') },
    ])
  })
})
