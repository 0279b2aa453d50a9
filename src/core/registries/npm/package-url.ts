import type { PackedFile } from '../../packing/packed-file.ts'

/** The URL of a version of a package, as attestations of registries name it. */
export function formatPackageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
}

/** The URL by the package.json of an archive that `npm pack` wrote; undefined for other archives. */
export function findPackageUrl(files: readonly PackedFile[]): string | undefined {
  const manifest = files.find(({ path }) => path === 'package/package.json')
  if (!manifest) return undefined
  try {
    const { name, version } = JSON.parse(Buffer.from(manifest.bytes).toString('utf8')) as Record<
      string,
      unknown
    >
    const isNamed = typeof name === 'string' && typeof version === 'string'
    return isNamed ? formatPackageUrl(name, version) : undefined
  } catch {
    return undefined
  }
}
