/** Whether a file may define what is called; true wherever a look at its text cannot tell. */
export function mayDefineName(language: string, text: string, name: string): boolean {
  const own = name.replaceAll(/[^\w]/g, String.raw`\$&`)
  switch (language) {
    case 'node':
    case 'typescript':
      return mayExportName(text, own)
    case 'shell':
      return mayDefineShellFunction(text, own)
    default:
      return true
  }
}

function mayExportName(text: string, own: string): boolean {
  const patterns = [
    String.raw`export\s+(?:default\s+)?(?:async\s+)?(?:function\s*\*?|const|let|var|class)\s*${own}(?![\w$])`,
    String.raw`export\s*\{[^}]*(?<![\w$])${own}(?![\w$])[^}]*\}`,
    // Destructured, handed on as a whole, or exported the older way.
    String.raw`export\s+(?:const|let|var)\s*[{[]`,
    String.raw`export\s*\*`,
    String.raw`(?:^|[^\w$.])(?:module\s*\.\s*)?exports\b`,
  ]
  if (own === 'default') patterns.push(String.raw`export\s+default\b`)
  // The older way hides behind the default as well.
  if (
    /export\s+default\s*[{\w]/.test(text) &&
    !/export\s+default\s+(?:async\s+)?function/.test(text)
  )
    return true
  return patterns.some((pattern) => new RegExp(pattern).test(text))
}

function mayDefineShellFunction(text: string, own: string): boolean {
  const isDefined = String.raw`(?:^|[;\s])(?:function\s+${own}(?![\w-])|${own}\s*\(\s*\))`
  // What it loads may define it.
  return new RegExp(isDefined).test(text) || /(?:^|[;\s])(?:source|\.|eval)\s/.test(text)
}
