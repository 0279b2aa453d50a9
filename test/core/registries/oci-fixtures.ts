import { writeArchive } from '../../../src/core/packing/formats.ts'
import type { PackedFile } from '../../../src/core/packing/packed-file.ts'
import type { RegistryCredentials } from '../../../src/core/registries/credentials/credentials.ts'
import {
  buildSkillArtifact,
  type OciArtifact,
} from '../../../src/core/registries/oci/build-artifact.ts'
import { OciClient } from '../../../src/core/registries/oci/oci-client.ts'

export const REPOSITORY = 'team/greet'

export function createFiles(version = '1.0.0', text = 'Greets.'): PackedFile[] {
  const markdown = `---\nname: greet\ndescription: Greets\nmetadata:\n  version: ${version}\n---\n${text}\n`
  return [
    { path: 'SKILL.md', isExecutable: false, bytes: Buffer.from(markdown) },
    { path: 'scripts/hello.sh', isExecutable: true, bytes: Buffer.from('echo hello\n') },
  ]
}

export async function createArtifact(version = '1.0.0', text?: string): Promise<OciArtifact> {
  const files = createFiles(version, text)
  const layer = await writeArchive('oci', files, { folder: 'greet' })
  return buildSkillArtifact(layer, { folder: 'greet', version, description: 'Greets' })
}

export function createClient(
  registry: string,
  credentials?: RegistryCredentials,
  repository = REPOSITORY,
): OciClient {
  const options = { signal: new AbortController().signal, timeoutMs: 10_000, credentials }
  return new OciClient({ registry, repository }, options)
}
