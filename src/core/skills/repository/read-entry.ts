import { readSkillFiles } from '../manifest/read-source.ts'
import { toManifest } from '../manifest/to-manifest.ts'
import type { RepositoryProblem, SkillEntry } from './repository.ts'

/** Reads a skill's two manifests into a list entry. */
export function readEntry(dir: string): {
  entry: Omit<SkillEntry, 'dir' | 'root'> | undefined
  problems: RepositoryProblem[]
} {
  const source = readSkillFiles(dir)
  const problems: RepositoryProblem[] = source.unreadable.map((file) => ({
    kind: 'unreadable',
    path: `${dir}/${file}`,
    message: `Cannot read "${file}": expected UTF-8 text of at most 1 MiB in a regular file`,
  }))
  const read = toManifest(source)
  for (const { file, message } of read.problems) {
    problems.push({ kind: 'invalid', path: `${dir}/${file}`, message })
  }
  if (problems.length > 0) return { entry: undefined, problems }
  const { manifest } = read
  return {
    problems,
    entry: {
      name: manifest.name,
      version: manifest.version,
      namespace: manifest.namespace,
      description: manifest.description,
      kind: manifest.kind,
      tags: manifest.tags,
      shortDescription: manifest.shortDescription,
      requires: manifest.requires,
      inputs: Object.keys(manifest.inputs),
    },
  }
}
