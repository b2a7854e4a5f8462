# Generated from the contract (npm run generate); do not edit.
VERSION = "0.1.0"
