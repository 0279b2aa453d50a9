import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buildPackage } from '../../../src/core/registries/npm/build-package.ts'
import { publishPackage } from '../../../src/core/registries/npm/publish-package.ts'
import { createStatement, type StatementVariant } from '../../core/signing/attestation-fixtures.ts'
import {
  ISSUER,
  startAuthority,
  WORKFLOW,
  type SignatureFacts,
  type SigstoreAuthority,
} from '../../core/signing/sigstore-authority.ts'
import {
  createNpmClient,
  startNpmRegistry,
  type FakeNpmRegistry,
} from '../../core/registries/npm-registry.ts'
import { createFiles } from '../../core/registries/oci-fixtures.ts'
import { createFolder, runSkills, type CliResult } from '../../helpers/skills.ts'

export const SOURCE = 'npm:@alice/greet'

/** A project and a home folder whose configuration names the root of an authority. */
export interface AttestedProject {
  cwd: string
  home: string
  authority: SigstoreAuthority
  run(...argv: string[]): Promise<CliResult>
  readLock(): { signers: string[]; version: string }
  /** Replaces the user's configuration. */
  configure(text: string): void
  trustWorkflow(): Promise<void>
}

export async function createAttestedProject(): Promise<AttestedProject> {
  const authority = await startAuthority()
  const cwd = createFolder({ 'skills.config.toml': '' })
  const home = createFolder({ 'root.json': authority.root })
  const folder = join(home, '.config/skills')
  mkdirSync(folder, { recursive: true })
  const configure = (text: string) => writeFileSync(join(folder, 'config.toml'), text)
  configure(`[trust]\nsigstore_root = "${join(home, 'root.json')}"\n`)
  const run = async (...argv: string[]) => await runSkills(argv, { cwd, env: { HOME: home } })
  return {
    cwd,
    home,
    authority,
    run,
    configure,
    readLock: () =>
      (
        JSON.parse(readFileSync(join(cwd, 'skills.lock'), 'utf8')) as {
          skills: ReturnType<AttestedProject['readLock']>[]
        }
      ).skills[0]!,
    async trustWorkflow() {
      const sources = ['--source', 'npm:@alice/*', '--source', 'github:alice/*']
      const identity = ['--identity', WORKFLOW.replace(/@.*/, '@*'), '--issuer', ISSUER]
      await run('keys', 'trust', '--name', 'alice-ci', ...sources, ...identity)
    },
  }
}

/** Facts of an attestation that differ from those of a workflow of alice. */
export interface AttestationVariant extends StatementVariant, SignatureFacts {}

/** A registry with the package of alice, and the project that installs from it. */
export interface AttestedPackage extends AttestedProject {
  registry: FakeNpmRegistry
  /** Publishes a version, with attestations that the workflow signed. */
  publish(version: string, ...variants: readonly AttestationVariant[]): Promise<Buffer>
}

export async function createAttestedPackage(
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<AttestedPackage> {
  const project = await createAttestedProject()
  const registry = await startNpmRegistry(intercept ? { intercept } : {})
  writeFileSync(join(project.home, '.npmrc'), `registry=${registry.url.href}\n`)
  return {
    ...project,
    registry,
    async publish(version, ...variants) {
      const built = await buildPackage({
        packageName: '@alice/greet',
        folder: 'greet',
        version,
        description: 'Greets',
        files: createFiles(version),
      })
      await publishPackage(createNpmClient(registry.url), built, 'latest')
      registry.packages.get('@alice/greet')!.versions[version]!.dist.attestations = { url: 'any' }
      const attestations = []
      for (const variant of variants) {
        const statement = createStatement({
          name: `pkg:npm/%40alice/greet@${version}`,
          digest: { sha512: hash('sha512', built.bytes) },
          ...variant,
        })
        const { type: _, ...facts } = variant
        const bundle = JSON.parse(await project.authority.sign(statement, facts)) as object
        attestations.push({ predicateType: variant.type ?? 'provenance', bundle })
      }
      registry.attestations.set(`@alice/greet@${version}`, attestations)
      return Buffer.from(built.bytes)
    },
  }
}
