-- The key that signs the IDs of answers: 244 random bits. Here, so that a serving process on a standby finds it.
INSERT INTO secrets (name, secret)
  VALUES ('recommendation_ids', sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));
