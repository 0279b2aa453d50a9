import type { SkillRelease } from './publish-target.ts'

/** Texts of a skill that registries show. */
export interface ReleaseTexts {
  description: string
  license: string | undefined
  compatibility: string | undefined
}

export function describeRelease({ manifest }: Pick<SkillRelease, 'manifest'>): ReleaseTexts {
  const { description, frontMatter } = manifest
  const find = (key: string) => {
    const value: unknown = frontMatter[key]
    return typeof value === 'string' ? value : undefined
  }
  return { description, license: find('license'), compatibility: find('compatibility') }
}
