import type { LockedPackage } from './lock-file.ts'

/** The machine that packages are installed for. */
export interface NpmPlatform {
  os: string
  cpu: string
  /** Undefined where there is no choice. */
  libc: 'glibc' | 'musl' | undefined
}

export function readPlatform(): NpmPlatform {
  return { os: process.platform, cpu: process.arch, libc: readLibc() }
}

function readLibc(): NpmPlatform['libc'] {
  if (process.platform !== 'linux') return undefined
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}

/** True if the lists of a package allow this machine; `!name` excludes one. */
export function isForPlatform(
  { os, cpu, libc }: Pick<LockedPackage, 'os' | 'cpu' | 'libc'>,
  platform: NpmPlatform,
): boolean {
  return (
    allows(os, platform.os) &&
    allows(cpu, platform.cpu) &&
    (platform.libc === undefined || allows(libc, platform.libc))
  )
}

function allows(list: readonly string[], value: string): boolean {
  if (list.includes(`!${value}`)) return false
  const named = list.filter((each) => !each.startsWith('!'))
  return named.length === 0 || named.includes(value) || named.includes('any')
}
