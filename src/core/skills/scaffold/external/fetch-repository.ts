import { withRepository } from '../../../git/open-repository.ts'
import { listGitTree, readGitFiles } from '../../../git/read-tree.ts'
import { checkEntries, templateError, type TemplateFile } from './template-files.ts'
import type { GitSource } from './template-source.ts'

interface FetchRequest {
  source: GitSource
  /** The value of --template, for messages. */
  shown: string
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
}

/** Reads a template from a git repository. Paths are checked before they are used. */
export async function fetchTemplate(request: FetchRequest): Promise<TemplateFile[]> {
  const { source, shown, env, signal } = request
  const subject = `The template "${shown}"`
  return await withRepository({ address: source, subject, env, signal }, async (repository) => {
    const entries = await listGitTree(repository, source.folder)
    if (!entries) {
      throw templateError(shown, `its folder "${source.folder}" does not exist in the repository`)
    }
    checkEntries(entries, shown)
    const contents = await readGitFiles(repository, entries)
    return entries.map(({ path, isExecutable }, at) => ({
      path,
      content: contents[at] ?? Buffer.alloc(0),
      isExecutable,
    }))
  })
}
