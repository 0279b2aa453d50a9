/** True if the text around a match prints it, or searches for it. */
export function isShown(text: string, at: number): boolean {
  const lead = text.slice(Math.max(0, at - 160), at)
  if (
    /^[^\n=]{0,60}(?:PATTERN|REGEX|RULE|INDICATOR|SIGNATURE|DANGER|SUSPICIOUS|BLOCK|DENY|DENIED|FORBID|IOC)\w*\s*=/i.test(
      text,
    )
  )
    return true
  const isSilent = /\d?>\s*\/dev\/null|&\)/.test(text.slice(at, at + 300))
  const isPrinted =
    !isSilent &&
    /(?:\becho|\bprintf?|console\.\w+\(|print\(|log(?:ger)?\.\w+\()[^\n]{0,140}$/i.test(lead) &&
    !/>>|[^-=<]>\s*["']?[~$/.\w]|\|\s*(?:sudo\s+)?(?:crontab|(?:ba|z)?sh\b(?!\s+[\w./-]+\.sh\b)|base64|tee|python)/.test(
      text.slice(at - 10 < 0 ? 0 : at - 10),
    )
  // A comparison looks for the text in another command.
  const isCompared = /(?:==|!=|=~|\.includes\(|\.contains\(|\bcontains\s)\s*[*"'`(]{0,3}$/.test(
    lead,
  )
  return (
    isPrinted ||
    isCompared ||
    /(?:\bgrep\b|\brg\b)[^\n;|&]{0,120}$|(?:re\.(?:compile|search|match|findall)\(|RegExp\(|pattern|description|message|\bhelp\b|hint|warn(?:ing)?|usage)[^\n]{0,120}$/i.test(
      lead,
    )
  )
}
