import { hash } from 'node:crypto'
import { comparePaths } from '../../skills/content/content-manifest.ts'
import type { PackedFile } from '../../packing/packed-file.ts'
import { writeTarGz } from '../../packing/write/write-tar.ts'
import { BUNDLE_EXTENSION } from '../../signing/envelope/bundle-file.ts'
import { SkillsError } from '../../../errors.ts'
import { isSemver } from '../../../util/semver.ts'

export interface NpmPackageRequest {
  /** Name of the package. */
  packageName: string
  /** Name of the folder, as hosts of Agent Skills expect it. */
  folder: string
  version: string
  description: string
  license?: string | undefined
  files: readonly PackedFile[]
  /** Lines of signed envelopes. */
  envelopes?: Uint8Array | undefined
}

/** An npm package of a skill. Equal files give equal bytes. */
export interface NpmPackage {
  manifest: Readonly<Record<string, unknown>> & { name: string; version: string }
  /** Name of its archive. */
  file: string
  bytes: Uint8Array
  integrity: string
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/
const MAX_NAME = 214

export function checkPackageName(name: string): string {
  if (name.length <= MAX_NAME && NAME.test(name)) return name
  throw new SkillsError('usage/invalid', `"${name}" is not the name of an npm package`, {
    hint: 'Write it as npm:name or npm:@scope/name, in lower case',
  })
}

/**
 * Builds a package with the skill in `skills/<folder>`, where tools look for skills of packages.
 * Signatures are next to that folder: they are not part of what they sign.
 */
export async function buildPackage(request: NpmPackageRequest): Promise<NpmPackage> {
  const { packageName, folder, version, description, license, files, envelopes } = request
  if (!isSemver(version) || version.includes('+')) {
    throw new SkillsError('usage/invalid', `The version "${version}" is not one of npm`, {
      hint: 'Use a version such as 1.2.0, without "+"',
    })
  }
  const manifest = {
    name: checkPackageName(packageName),
    version,
    description,
    ...(license !== undefined && { license }),
    keywords: ['agent-skill', 'agent-skills', 'skills'],
    files: ['skills'],
    agents: { skills: [{ name: folder, path: `./skills/${folder}` }] },
  }
  const entries = [
    {
      path: 'package/package.json',
      isExecutable: false,
      bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`),
    },
    ...files.map((file) => ({ ...file, path: `package/skills/${folder}/${file.path}` })),
    ...(envelopes
      ? [
          {
            path: `package/skills/${folder}${BUNDLE_EXTENSION}`,
            isExecutable: false,
            bytes: envelopes,
          },
        ]
      : []),
  ]
  const bytes = await writeTarGz(entries.toSorted((a, b) => comparePaths(a.path, b.path)))
  return {
    manifest,
    file: `${packageName.replace(/^@/, '').replace('/', '-')}-${version}.tgz`,
    bytes,
    integrity: `sha512-${hash('sha512', bytes, 'base64')}`,
  }
}
