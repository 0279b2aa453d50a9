import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'

/** A home folder with a run, its audit records and a blob, whose content is returned by `damage`. */
async function home() {
  const cwd = createFolder({ 'file.txt': 'some content\n' })
  const env = { HOME: createFolder() }
  const call = async (argv: string[]) => await runSkills(argv, { cwd, env })
  await call(['run-code', '--code', 'def main(args):\n    print("hi")\n'])
  const id = (await call(['blobs', 'put', 'file.txt'])).stdout.trim()
  const content = join(env.HOME, '.local/share/skills/blobs', id.slice('blob:'.length), 'content')
  const damage = () => writeFileSync(content, 'some contenu\n', { flag: 'r+' })
  return { env, call, id, damage }
}

/** The lock of the audit log belongs to this process, and comes and goes. */
function listTimes(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => !name.includes('audit'))
    .map((name) => {
      const { mtimeNs, size } = lstatSync(join(dir, name), { bigint: true })
      return `${name} ${mtimeNs} ${size}`
    })
}

describe('skills doctor --data', () => {
  it('verifies an empty data directory', async () => {
    const { code, stdout } = await runSkills(['doctor', '--data'], {
      env: { HOME: createFolder() },
    })
    expect(code).toBe(0)
    expect(stdout.split('\n').slice(0, -1)).toEqual(
      ['blobs', 'runs', 'outputs', 'audit', 'sessions', 'uploaded skills'].map(
        (area) => `intact ${area}: 0 checked`,
      ),
    )
  })

  it('names what is damaged, exits with 1 and changes nothing', async () => {
    const { env, call, id, damage } = await home()
    const intact = await call(['doctor', '--data'])
    expect(intact.code).toBe(0)
    expect(intact.stdout).toContain('intact blobs: 1 checked\nintact runs: 1 checked\n')
    damage()
    const before = listTimes(env.HOME)
    const { code, stdout } = await call(['doctor', '--data'])
    expect(code).toBe(1)
    expect(stdout).toContain(
      `damaged blobs: 1 checked, 1 damaged\n  ${id}: The blob "${id}" was changed or damaged\n`,
    )
    const found = await call(['doctor', '--data', '--json'])
    expect(found.code).toBe(1)
    const { schema, ok, areas } = found.json() as { schema: string; ok: boolean; areas: object[] }
    expect({ schema, ok }).toEqual({ schema: 'skills.data-check/v1', ok: false })
    expect(areas[0]).toMatchObject({
      area: 'blobs',
      checked: 1,
      damaged: [{ item: id }],
    })
    expect(listTimes(env.HOME)).toEqual(before)
  })

  it('reports a record without a checksum as damaged', async () => {
    const { env, call, id } = await home()
    const info = join(env.HOME, '.local/share/skills/blobs', id.slice('blob:'.length), 'info.json')
    writeFileSync(info, readFileSync(info, 'utf8').replace(/,"sealed":"[0-9a-f]{64}"/, ''))
    const { code, stdout } = await call(['doctor', '--data'])
    expect(code).toBe(1)
    expect(stdout).toContain('damaged blobs: 1 checked, 1 damaged\n')
  })

  it('finds what no other command returns: a damaged blob', async () => {
    const { call, id, damage } = await home()
    damage()
    const got = await call(['blobs', 'get', id])
    expect(got).toMatchObject({ code: 3, stdout: '' })
    expect(got.stderr).toContain('was changed or damaged')
    expect(got.stderr).toContain('skills doctor --data')
    const code = 'def main(args):\n    return 1\n'
    const ran = await call(['run-code', '--code', code, '--input-blob', id])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('was changed or damaged')
  })
})
