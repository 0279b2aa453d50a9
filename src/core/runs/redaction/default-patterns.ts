/**
 * Shapes of well-known credentials, by their issuers' prefixes. Each is specific enough that ordinary
 * output does not match.
 */
export const DEFAULT_PATTERNS: readonly string[] = [
  // GitHub, GitLab
  String.raw`\bgh[pousr]_[A-Za-z0-9]{36,}`,
  String.raw`\bgithub_pat_[A-Za-z0-9_]{22,}`,
  String.raw`\bgl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_-]{20,}`,
  // AWS
  String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
  String.raw`(?i)aws_?(?:secret_?access_?key|session_?token)["']?\s{0,3}[=:]\s{0,3}["']?[a-z0-9/+=]{40,}`,
  // Anthropic, OpenAI, Hugging Face
  String.raw`\bsk-(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{20,}`,
  String.raw`\bsk-[A-Za-z0-9]{20,}\b`,
  String.raw`\bhf_[A-Za-z0-9]{30,}\b`,
  // Slack
  String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`,
  String.raw`\bhttps://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}`,
  // Google
  String.raw`\bAIza[A-Za-z0-9_-]{35}`,
  String.raw`\bya29\.[A-Za-z0-9_-]{20,}`,
  // Stripe, Twilio, SendGrid, DigitalOcean, Azure storage
  String.raw`\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`,
  String.raw`\bSK[0-9a-f]{32}\b`,
  String.raw`\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,}`,
  String.raw`\bdo[opr]_v1_[a-f0-9]{64}`,
  String.raw`\bAccountKey=[A-Za-z0-9+/]{86}==`,
  // Package registries
  String.raw`\bnpm_[A-Za-z0-9]{36,}`,
  String.raw`\bpypi-AgE[A-Za-z0-9_-]{50,}`,
  // JSON Web Tokens, HTTP credentials, passwords in URLs
  String.raw`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
  String.raw`\b[Bb]earer [A-Za-z0-9._~+/-]{20,}=*`,
  String.raw`\b[Aa]uthorization: [Bb]asic [A-Za-z0-9+/]{8,}=*`,
  String.raw`://[^\s:@/"'<>]{1,100}:[^\s:@/"'<>]{3,200}@`,
  // Private keys, also cut and with escaped line breaks
  String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr])+[A-Za-z-]{1,40}: [^\s]{1,})*(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{16,})+(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{0,76}(?:\s|\\[nr])*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`,
]
