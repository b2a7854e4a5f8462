export const tokenExample = {
  request: {
    grant_type: 'client_credentials',
    client_id: 'tg_main_4Qm8vT2xKc6RzB1nWy7JpL0d',
    client_secret: 'the secret that was shown once',
    scope: '/upsert-dataset-events /recommend-items-to-user',
  },
  response: {
    access_token: 'eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ…',
    token_type: 'Bearer',
    expires_in: 3600,
    scope: '/upsert-dataset-events /recommend-items-to-user',
  },
} as const;
