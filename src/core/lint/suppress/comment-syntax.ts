/** Delimiters of a comment. */
export interface CommentSyntax {
  open: string
  close: string
}

const HTML_COMMENT: CommentSyntax = { open: '<!-- ', close: ' -->' }
export const HASH_COMMENT: CommentSyntax = { open: '# ', close: '' }
const SLASH_COMMENT: CommentSyntax = { open: '// ', close: '' }

/** Family of a file, which decides where a comment can stand. */
export type FileFamily = 'markdown' | 'toml' | 'yaml' | 'python' | 'shell' | 'script' | 'jsx'

const EXTENSIONS: Readonly<Record<string, FileFamily>> = {
  md: 'markdown',
  markdown: 'markdown',
  toml: 'toml',
  yaml: 'yaml',
  yml: 'yaml',
  py: 'python',
  sh: 'shell',
  bash: 'shell',
  js: 'script',
  mjs: 'script',
  cjs: 'script',
  ts: 'script',
  mts: 'script',
  cts: 'script',
  jsx: 'jsx',
  tsx: 'jsx',
}

/** Family of a file with comments; undefined for data, and for files of unknown syntax. */
export function findFileFamily(path: string, text: string): FileFamily | undefined {
  const extension = /\.([^./]+)$/.exec(path)?.[1]
  if (extension !== undefined) return EXTENSIONS[extension.toLowerCase()]
  const interpreter = /^#!\s*\S*?([^/\s]+)(?:\s+(\S+))?/.exec(text)
  const program = interpreter?.[1] === 'env' ? interpreter[2] : interpreter?.[1]
  if (program === undefined) return undefined
  if (/^python[\d.]*$/.test(program)) return 'python'
  if (/^(?:ba|da|k|z)?sh$/.test(program)) return 'shell'
  return /^(?:node|deno|bun)$/.test(program) ? 'script' : undefined
}

/** Comments of a family; front matter of Markdown has those of YAML. */
export function getCommentSyntax(family: FileFamily): CommentSyntax {
  if (family === 'markdown') return HTML_COMMENT
  return family === 'script' || family === 'jsx' ? SLASH_COMMENT : HASH_COMMENT
}

/**
 * Place of a comment that suppresses a finding: on a line of its own before the finding, at the end
 * of the line, or for the whole file.
 */
export type CommentPlace = 'before' | 'end' | 'file'
