import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pullSkill } from '../../../src/core/registries/oci/pull-skill.ts'
import { pushSkill, yankTag } from '../../../src/core/registries/oci/push-skill.ts'
import { readAttestations } from '../../../src/core/registries/oci/referrers.ts'
import { DEFAULT_PATH, findProgram } from '../../../src/util/find-program.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createArtifact, createClient, createFiles } from './oci-fixtures.ts'

const program = findProgram('docker-registry', process.env['PATH'] ?? DEFAULT_PATH)
const title = program
  ? 'docker-registry'
  : 'docker-registry (not run: docker-registry is not installed: apt-get install docker-registry)'

/** Starts Debian's registry on a free port, and returns its host. */
async function startDockerRegistry(): Promise<string> {
  const folder = createFolder()
  const config = join(folder, 'config.yml')
  writeFileSync(
    config,
    JSON.stringify({
      version: 0.1,
      log: { level: 'info' },
      storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
      http: { addr: '127.0.0.1:0' },
    }),
  )
  const child = spawn(program as string, ['serve', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return await new Promise((done, fail) => {
    let log = ''
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      const host = /listening on (127\.0\.0\.1:\d+)/.exec(log)?.[1]
      if (host !== undefined) done(host)
    })
    child.on('exit', () => fail(new Error(`docker-registry ended: ${log}`)))
  })
}

describe.skipIf(!program)(title, () => {
  it('stores a skill and its signatures, which are read back by tag and by digest', async () => {
    const client = createClient(await startDockerRegistry())
    const artifact = await createArtifact()
    const envelope = { payload: 'e30=', payloadType: 'text/plain', signatures: [{ sig: 'YQ==' }] }
    const envelopes = Buffer.from(`${JSON.stringify(envelope)}\n`)
    await pushSkill(client, { artifact, tag: '1.0.0', envelopes })
    const pulled = await pullSkill(client, '1.0.0')
    expect(pulled.files).toEqual(createFiles())
    expect((await pullSkill(client, artifact.digest)).digest).toBe(artifact.digest)
    expect(await readAttestations(client, artifact.digest)).toHaveLength(1)
    const other = await createArtifact('1.0.0', 'Other.')
    await expect(pushSkill(client, { artifact: other, tag: '1.0.0' })).rejects.toThrow('exists')
    await expect(yankTag(client, '1.0.0')).rejects.toThrow('does not delete')
  })
})
