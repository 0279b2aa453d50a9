// Reads comments and declarations of formatted source, line by line.

export interface CommentLine {
  text: string
  line: number
  isFirst: boolean
}

export interface Declaration {
  kind: 'function' | 'private function' | 'type'
  name: string
}

/** The comment lines of a file: text without its marker, and whether it opens its comment. */
export function countComments(file: string, source: string): CommentLine[] {
  const isScript = /\.(?:py|sh)$/.test(file)
  const lines = source.split('\n')
  let previous = false
  return lines.flatMap((line, index) => {
    const comment = isScript ? readHashComment(line) : readSlashComment(line)
    const isFirst = !previous || /^\s*\/\*/.test(line)
    previous = comment !== undefined
    return comment === undefined || comment === ''
      ? []
      : [{ text: comment, line: index + 1, isFirst }]
  })
}

function readSlashComment(line: string): string | undefined {
  return /^\s*(?:\/\/|\/\*\*?|\*(?!\/)) ?(.*?)(?:\s*\*\/)?$/.exec(line)?.[1]
}

function readHashComment(line: string): string | undefined {
  return /^\s*(?:#(?!!)|""") ?(.*?)(?:""")?$/.exec(line)?.[1]
}

const DECLARATION =
  /^(export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(function\*?|interface|type|class|const) (\w+)(.*)$/gm

/** Declarations at the top level of a module, and functions of guest modules. */
export function readDeclarations(file: string, source: string): Declaration[] {
  if (/\.(?:py|sh)$/.test(file)) return []
  return [...source.matchAll(DECLARATION)].flatMap(
    ([, exported, keyword = '', name = '', rest = '']) => {
      if (keyword === 'const')
        return /= (?:async )?(?:\(|\w+ =>)/.test(rest) && rest.includes('=>')
          ? [{ kind: functionKind(exported), name }]
          : []
      if (keyword.startsWith('function')) return [{ kind: functionKind(exported), name }]
      return [{ kind: 'type', name }]
    },
  )
}

function functionKind(exported: string | undefined): Declaration['kind'] {
  return exported ? 'function' : 'private function'
}
